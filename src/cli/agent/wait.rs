//! The `agent wait` command: waits until an agent has one of the given statuses.

use std::time::Duration;

use clap::Args;

use crate::cli::render::agent_table::status_word;
use crate::cli::{Invocation, agent::attach_shared, render::times};
use crate::error::Error;
use crate::manager::Terminals;
use crate::manager::WaitRequest;
use crate::model::Status;

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
    let agent = Terminals(&context.manager).wait(&WaitRequest {
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
