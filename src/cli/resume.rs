//! `agent resume`

use clap::Args;

use super::{Context, spawn};
use crate::error::Error;
use crate::manager::Resumed;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let resumed = context.manager.resume(&spawn::name(&args.name)?)?;
    tell(&resumed, context);
    Ok(0)
}

pub(super) fn tell(resumed: &Resumed, context: &Context) {
    if context.ui.json {
        context.ui.json(&resumed.agent);
    } else {
        context.ui.say(&format!("`{}` {}", resumed.agent.name, resumed.remark));
        context.ui.data(resumed.agent.name.as_str());
    }
}
