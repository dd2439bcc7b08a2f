//! `agent rm`

use clap::Args;

use super::{Context, visit};
use crate::error::Error;
use crate::manager::Removal;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Also when it runs, with whatever is in its workspace
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let name = visit::own(&args.name)?;
    context.manager.rm(&name, if args.force { Removal::Force } else { Removal::Careful })?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "removed": name }));
    } else {
        context.ui.say(&format!("`{name}` is forgotten"));
    }
    Ok(0)
}
