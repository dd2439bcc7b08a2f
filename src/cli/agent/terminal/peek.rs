//! The `agent peek` command: prints the screen of an agent.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::AgentScreens;
use crate::manager::{Peeked, PeekedFrom};
use crate::model::{Status, without_deception};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "peek",
    "Show an agent's screen without attaching",
    Remote::READ_ONLY,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["peek"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let Peeked { text, from, status, silence } = AgentScreens(&context.manager).peek(&name)?;
    if context.ui.json {
        let lines: Vec<&str> = text.lines().collect();
        context.ui.json(&serde_json::json!({ "agent": name, "screen": lines, "from": from.word() }));
    } else {
        context.ui.data(&without_deception(&text));
    }
    match silence {
        Some(silence) => {
            context.ui.warn(&format!(
                "these are the last lines of the transcript of `{name}`, not its current screen"
            ));
            Err(silence)
        }
        None => {
            if status == Status::Hibernated {
                context.ui.say(&format!(
                    "`{name}` is hibernated; attach or send wakes it: `symposium agent attach {name}`"
                ));
            } else if from == PeekedFrom::Transcript && !context.ui.json {
                context.ui.say(&format!(
                    "`{name}` is {status} and has no screen: these are the last lines of its transcript"
                ));
            }
            Ok(0)
        }
    }
}
