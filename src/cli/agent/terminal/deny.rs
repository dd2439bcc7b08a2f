//! The `agent deny` command: answers no to the dialogs of agents, optionally with a reason.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::terminal::answer};
use crate::error::Error;
use crate::manager::ApprovalAnswer;
use crate::manager::Approvals;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::new("deny", "Deny an agent's request", Remote::ONCE, |args, context| {
        run(parsed(args)?, context)
    })
    .arguments::<DenyArguments>()
    .values(&[("names", ArgumentValue::Agent)])
    .short_forms(&["deny"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct DenyArguments {
    #[command(flatten)]
    which: answer::Arguments,
    /// Reason or instruction, typed into the dialog or sent as the next prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    because: Option<String>,
}

pub(in crate::cli) fn run(args: DenyArguments, context: &Invocation) -> Result<u8, Error> {
    answer::run_with(&args.which, ApprovalAnswer::Deny, context, |name, read| match &args.because {
        None => Approvals(&context.manager).answer(name, ApprovalAnswer::Deny, read),
        Some(reason) => Approvals(&context.manager).deny_because(name, read, reason),
    })
}
