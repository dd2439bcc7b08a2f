//! The `agent rename` command.

use clap::Args;

use crate::cli::{
    Invocation,
    agent::{attach_shared, spawn},
};
use crate::error::Error;
use crate::manager::{Lifecycle, StatusTracker};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Current name
    #[arg(allow_hyphen_values = true)]
    old: String,
    /// New name
    #[arg(allow_hyphen_values = true)]
    new: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let (old, new) = (attach_shared::own(&args.old)?, spawn::name(&args.new)?);
    Lifecycle(&context.manager).rename(&old, &new)?;
    if context.ui.json {
        context.ui.json(&StatusTracker(&context.manager).show(&new)?);
    } else {
        context.ui.data(new.as_str());
    }
    Ok(0)
}
