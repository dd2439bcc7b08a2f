//! `agent interrupt`

use clap::Args;

use super::{Context, spawn};
use crate::error::Error;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let name = spawn::name(&args.name)?;
    let keys = context.manager.interrupt(&name)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "agent": name, "keys": keys }));
    } else {
        context.ui.say(&format!("pressed {} in `{name}`", keys.join(" ")));
    }
    Ok(0)
}
