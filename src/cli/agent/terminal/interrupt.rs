//! The `agent interrupt` command: stops the current turn of an agent.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::{Error, shown};
use crate::manager::AgentInput;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "interrupt",
    "Interrupt the current turn of an agent",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["interrupt"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let done = AgentInput(&context.manager).interrupt(&name)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({
            "agent": name,
            "keys": done.keys,
            "confirmed_by": done.seen,
            "put_back": done.put_back,
        }));
    } else {
        let seen = done.seen.map(|seen| format!(": {seen}")).unwrap_or_default();
        context.ui.say(&format!("pressed {} in `{name}`{seen}", done.keys.join(" ")));
        if let Some(prompt) = done.put_back {
            context.ui.say(&format!(
                "the agent returned the prompt to its input line, which was cleared: {}",
                shown(&prompt)
            ));
        }
    }
    Ok(0)
}
