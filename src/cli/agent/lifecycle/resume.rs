//! The `agent resume` command: starts a stopped agent again with its conversation.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Resumed;
use crate::manager::{Conversations, Resumption};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "resume",
    "Start an ended agent again, with its conversation",
    Remote::ONCE.host_before_first_line(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["resume"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Name or id of the conversation; an unknown name starts a new one
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    conversation: Option<String>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let resumed = match &args.conversation {
        Some(wanted) => Conversations(&context.manager).resume_with(&name, wanted)?,
        None => Resumption(&context.manager).resume(&name)?,
    };
    report(&resumed, context);
    Ok(0)
}

pub(in crate::cli) fn report(resumed: &Resumed, context: &Invocation) {
    if context.ui.json {
        context.ui.json(&resumed.agent);
    } else {
        context.ui.say(&format!("`{}` {}", resumed.agent.name, resumed.remark));
        context.ui.data(resumed.agent.name.as_str());
    }
}
