//! The `agent wait` command: waits until an agent has one of the given statuses.

use std::time::Duration;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::times};
use crate::error::Error;
use crate::manager::AgentWatch;
use crate::manager::WaitRequest;
use crate::model::Status;
use crate::text::agent::status_word;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::new("wait", "Wait until an agent has a status", Remote::READ_ONLY, |args, context| {
        run(parsed(args)?, context)
    })
    .arguments::<Arguments>()
    .values(&[("name", ArgumentValue::Agent), ("statuses", ArgumentValue::Status)])
    .short_forms(&["wait"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Status to wait for; several with commas
    #[arg(long = "for", value_name = "STATUS", value_delimiter = ',', required = true)]
    statuses: Vec<Status>,
    /// Time limit; exit code 7 when it is reached [default: as long as the agent runs]
    #[arg(long, value_name = "D", value_parser = times::duration)]
    timeout: Option<Duration>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let agent = AgentWatch(&context.manager).wait(&WaitRequest {
        name,
        statuses: args.statuses,
        timeout: args.timeout,
    })?;
    if context.ui.json {
        context.ui.json(&agent);
    } else {
        context.ui.data(&status_word(&agent));
    }
    Ok(0)
}
