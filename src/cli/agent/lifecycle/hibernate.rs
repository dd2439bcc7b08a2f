//! The `agent hibernate` command: ends the process of an idle agent until it is needed again.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Hibernation;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "hibernate",
    "End an idle agent's process until the agent is needed again",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let why = "it was hibernated on request; it wakes when it is needed";
    let agent = Hibernation(&context.manager).hibernate(&name, why)?;
    if context.ui.json {
        context.ui.json(&agent);
    } else {
        context
            .ui
            .say(&format!("`{name}` is hibernated; it wakes when a client attaches or a prompt is sent"));
    }
    Ok(0)
}
