//! `agent deny`

use crate::manager::Terminals;
use std::time::Duration;

use clap::Args;

use crate::cli::{Invocation, agent::answer};
use crate::error::Error;
use crate::manager::{Answer, SendRequest};
use crate::rules::tasks::typing::Lines;

/// How long an agent may take after a denial until it takes the reason as its next prompt.
const REASON_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(in crate::cli) struct DenyArguments {
    #[command(flatten)]
    which: answer::Arguments,
    /// Tell the agent why, or what to do instead, as its next prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    because: Option<String>,
}

pub(in crate::cli) fn run(args: DenyArguments, context: &Invocation) -> Result<u8, Error> {
    answer::run_then(&args.which, Answer::Deny, context, |name| match &args.because {
        None => Ok(()),
        Some(text) => {
            let request = SendRequest {
                name: name.clone(),
                text: text.clone(),
                lines: Lines::Together,
                timeout: REASON_TIMEOUT,
            };
            Terminals(&context.manager).send(&request).map(drop)
        }
    })
}
