//! `agent deny`

use clap::Args;

use super::{Context, answer};
use crate::error::Error;
use crate::manager::Answer;

#[derive(Debug, Args)]
pub(super) struct DenyArguments {
    #[command(flatten)]
    which: answer::Arguments,
    /// Tell the agent why, or what to do instead: in its dialog, or as its next prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    because: Option<String>,
}

pub(super) fn run(args: DenyArguments, context: &Context) -> Result<u8, Error> {
    answer::run_with(&args.which, Answer::Deny, context, |name, read| match &args.because {
        None => context.manager.answer(name, Answer::Deny, read),
        Some(reason) => context.manager.deny_because(name, read, reason),
    })
}
