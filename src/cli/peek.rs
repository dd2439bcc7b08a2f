//! `agent peek`

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
    let screen = context.manager.peek(&name)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "agent": name, "screen": screen.lines().collect::<Vec<_>>() }));
    } else {
        context.ui.data(&screen);
    }
    Ok(0)
}
