//! The `agent send` command: delivers a prompt to an agent.

use std::time::Duration;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{
    Invocation,
    agent::sharing::attach_shared,
    render::{times, ui},
};
use crate::error::Error;
use crate::manager::AgentInput;
use crate::manager::SendRequest;
use crate::rules::tasks::typing::LineHandling;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "send",
    "Send a prompt and confirm that the agent accepted it",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["send"])
.fast();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// The prompt; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Time to wait until the agent is ready for a prompt
    #[arg(long, value_name = "D", default_value = "30s", value_parser = times::duration)]
    timeout: Duration,
    /// Send each line as a separate input
    #[arg(long)]
    as_lines: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let text = match args.text.as_str() {
        "-" => ui::standard_input().map_err(Error::io("cannot read the prompt from stdin"))?,
        _ => args.text,
    };
    let lines = if args.as_lines { LineHandling::Separate } else { LineHandling::Together };
    let by = AgentInput(&context.manager).send(&SendRequest {
        name: name.clone(),
        text,
        lines,
        timeout: args.timeout,
    })?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "agent": name, "delivered": true, "confirmed_by": by }));
    } else {
        context.ui.say(&format!("delivered to `{name}`: {by}"));
    }
    Ok(0)
}
