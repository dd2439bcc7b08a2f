//! The `agent unshare` command: ends shares and disconnects their guests.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Access;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "unshare",
    "Stop sharing an agent and disconnect its guests",
    Remote::local_only("only a user of that machine can share an agent with another user of it"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
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
        false => {
            format!("`{name}` is no longer shared with {}; its guests were disconnected", with.join(", "))
        }
    });
    Ok(0)
}
