//! The hidden `symposium agent-screen` command, which the dashboard of another machine runs to show an agent.

use std::io::ErrorKind;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Hosts;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "agent-screen",
    "Send the live screen of an agent to the dashboard of another machine",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    name: String,
    /// Maximum number of lines above the screen
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    history: usize,
}

fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    match Hosts(&context.manager).send_screen(&name, args.history, &mut context.ui.raw()) {
        Err(error) if error.io_kind() == Some(ErrorKind::BrokenPipe) => Ok(0),
        other => other.map(|()| 0),
    }
}
