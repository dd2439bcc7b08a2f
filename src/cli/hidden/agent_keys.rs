//! The hidden `symposium agent-keys` command, with which the dashboard or web page of another machine types into an agent.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::AgentInput;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "agent-keys",
    "Type into an agent for the dashboard of another machine",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    name: String,
    /// Paste standard input as text; otherwise it is a JSON array with the names of keys
    #[arg(long, conflicts_with = "if_undriven")]
    paste: bool,
    /// Press nothing while a terminal drives the agent
    #[arg(long)]
    if_undriven: bool,
}

fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let text = ui::standard_input().map_err(Error::io("cannot read stdin"))?;
    let input = AgentInput(&context.manager);
    match args.paste {
        true => input.paste_text(&name, &text)?,
        false => {
            let keys: Vec<String> = serde_json::from_str(&text)
                .map_err(|why| Error::usage(format!("stdin is not a list of keys: {why}")))?;
            match args.if_undriven {
                true => input.press_keys_if_undriven(&name, &keys)?,
                false => input.press_keys(&name, &keys)?,
            }
        }
    }
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "agent": name }));
    }
    Ok(0)
}
