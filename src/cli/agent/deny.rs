//! The `agent deny` command: answers no to the dialogs of agents, optionally with a reason.

use clap::Args;

use crate::cli::{Invocation, agent::answer};
use crate::error::Error;
use crate::manager::Answer;
use crate::manager::Terminals;

#[derive(Debug, Args)]
pub(in crate::cli) struct DenyArguments {
    #[command(flatten)]
    which: answer::Arguments,
    /// Tell the agent why, or what to do instead: in its dialog, or as its next prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    because: Option<String>,
}

pub(in crate::cli) fn run(args: DenyArguments, context: &Invocation) -> Result<u8, Error> {
    answer::run_with(&args.which, Answer::Deny, context, |name, read| match &args.because {
        None => Terminals(&context.manager).answer(name, Answer::Deny, read),
        Some(reason) => Terminals(&context.manager).deny_because(name, read, reason),
    })
}
