//! The `spec init` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::SpecCatalog;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "init",
    "Create a commented .symposium/agents.toml",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let file = SpecCatalog(&context.manager).spec_init(args.dir.as_deref())?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "written": file }));
    } else {
        context.ui.data(&file.to_string_lossy());
        context.ui.say("edit it, then `symposium spec list` and `symposium agent spawn reviewer`");
    }
    Ok(0)
}
