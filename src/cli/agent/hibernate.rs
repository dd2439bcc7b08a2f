//! The `agent hibernate` command: ends the process of an idle agent until it is needed again.

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared};
use crate::error::Error;
use crate::manager::Lifecycle;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let why = "it was put to sleep on request; it wakes when it is needed";
    let agent = Lifecycle(&context.manager).hibernate(&name, why)?;
    if context.ui.json {
        context.ui.json(&agent);
    } else {
        context.ui.say(&format!("`{name}` sleeps; it wakes when a client attaches or a prompt is sent"));
    }
    Ok(0)
}
