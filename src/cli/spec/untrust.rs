//! The `spec untrust` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Invocation;
use crate::cli::render::agent_table::clean;
use crate::error::Error;
use crate::manager::SpecCatalog;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// A directory of the project, instead of the current one
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let (project, was_trusted) = SpecCatalog(&context.manager).untrust(args.dir.as_deref())?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "project": project, "was_trusted": was_trusted }));
    }
    context.ui.say(&match was_trusted {
        true => format!("{} is no longer trusted", clean(&project)),
        false => format!("{} was not trusted", clean(&project)),
    });
    Ok(0)
}
