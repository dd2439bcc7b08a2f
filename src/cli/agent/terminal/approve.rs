//! The `agent approve` command: answers yes to the dialogs of agents.

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::terminal::answer};
use crate::error::Error;
use crate::manager::ApprovalAnswer;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::new("approve", "Approve an agent's request once", Remote::ONCE, |args, context| {
        run(parsed(args)?, context)
    })
    .arguments::<answer::Arguments>()
    .values(&[("names", ArgumentValue::Agent)])
    .short_forms(&["approve"]);

pub(in crate::cli) fn run(args: answer::Arguments, context: &Invocation) -> Result<u8, Error> {
    answer::run(&args, ApprovalAnswer::Approve, context)
}
