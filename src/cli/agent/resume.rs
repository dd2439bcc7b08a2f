//! The `agent resume` command: starts a stopped agent again with its conversation.

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared};
use crate::error::Error;
use crate::manager::Resumed;
use crate::manager::{Conversations, Lifecycle};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Conversation by name or id; a new name begins one
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    conversation: Option<String>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let resumed = match &args.conversation {
        Some(wanted) => Conversations(&context.manager).resume_with(&name, wanted)?,
        None => Lifecycle(&context.manager).resume(&name)?,
    };
    tell(&resumed, context);
    Ok(0)
}

pub(in crate::cli) fn tell(resumed: &Resumed, context: &Invocation) {
    if context.ui.json {
        context.ui.json(&resumed.agent);
    } else {
        context.ui.say(&format!("`{}` {}", resumed.agent.name, resumed.remark));
        context.ui.data(resumed.agent.name.as_str());
    }
}
