//! `agent rename`

use clap::Args;

use super::{Context, spawn, visit};
use crate::error::Error;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Current name
    #[arg(allow_hyphen_values = true)]
    old: String,
    /// New name
    #[arg(allow_hyphen_values = true)]
    new: String,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let (old, new) = (visit::own(&args.old)?, spawn::name(&args.new)?);
    context.manager.rename(&old, &new)?;
    if context.ui.json {
        context.ui.json(&context.manager.show(&new)?);
    } else {
        context.ui.data(new.as_str());
    }
    Ok(0)
}
