//! The `spec untrust` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::ProjectTrust;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "untrust",
    "Revoke the trust in the specs of a project",
    Remote::ONCE.without_host_in_json(),
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Directory of the project [default: the current one]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let (project, was_trusted) = ProjectTrust(&context.manager).untrust(args.dir.as_deref())?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "project": project, "was_trusted": was_trusted }));
    }
    context.ui.say(&match was_trusted {
        true => format!("{} is no longer trusted", clean(&project)),
        false => format!("{} was not trusted", clean(&project)),
    });
    Ok(0)
}
