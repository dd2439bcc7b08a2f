//! The `agent unshare` command: ends shares and disconnects their guests.

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared};
use crate::error::Error;
use crate::manager::Access;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Stop sharing with this user only [default: all users]
    #[arg(long, value_name = "USER")]
    with: Option<String>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let unshared = Access(&context.manager).unshare(&name, args.with.as_deref())?;
    unshared.remarks.iter().for_each(|remark| context.ui.warn(remark));
    let ended = unshared.ended;
    if context.ui.json {
        context.ui.json(&ended);
        return Ok(0);
    }
    let with: Vec<&str> = ended.iter().map(|share| share.with.as_str()).collect();
    context.ui.say(&match with.is_empty() {
        true => format!("`{name}` was not shared"),
        false => format!("`{name}` is no longer shared with {}; who was there is gone", with.join(", ")),
    });
    Ok(0)
}
