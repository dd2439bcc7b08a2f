//! The `agent rename` command.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{
    Invocation,
    agent::{lifecycle::spawn, sharing::attach_shared},
};
use crate::error::Error;
use crate::manager::{AgentLookup, Renaming};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "rename",
    "Rename an agent",
    Remote::ONCE.host_before_first_line(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("old", ArgumentValue::Agent), ("new", ArgumentValue::NewAgent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Current name of the agent
    #[arg(allow_hyphen_values = true)]
    old: String,
    /// New name of the agent
    #[arg(allow_hyphen_values = true)]
    new: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let (old, new) = (attach_shared::own(&args.old)?, spawn::name(&args.new)?);
    Renaming(&context.manager).rename(&old, &new)?;
    if context.ui.json {
        context.ui.json(&AgentLookup(&context.manager).show(&new)?);
    } else {
        context.ui.data(new.as_str());
    }
    Ok(0)
}
