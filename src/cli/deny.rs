//! `agent deny`

use super::{Context, answer};
use crate::error::Error;
use crate::manager::Answer;

pub(super) fn run(args: answer::Arguments, context: &Context) -> Result<u8, Error> {
    answer::run(&args, Answer::Deny, context)
}
