//! The `agent approve` command: answers yes to the dialogs of agents.

use crate::cli::{Invocation, agent::answer};
use crate::error::Error;
use crate::manager::Answer;

pub(in crate::cli) fn run(args: answer::Arguments, context: &Invocation) -> Result<u8, Error> {
    answer::run(&args, Answer::Approve, context)
}
