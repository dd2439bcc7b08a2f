//! The `agent detach` command: disconnects terminals from an agent.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::lifecycle::spawn};
use crate::error::Error;
use crate::manager::TerminalClients;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "detach",
    "Detach terminals from an agent, which keeps running",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent [default: the agent of this terminal]
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Detach only this terminal, as `agent show` names it
    #[arg(long, value_name = "TTY")]
    client: Option<String>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = args.name.as_deref().map(spawn::name).transpose()?;
    let count = TerminalClients(&context.manager).detach(name.as_ref(), args.client.as_deref())?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "detached": count }));
    } else {
        context.ui.say(&match count {
            0 => "no client was attached".to_owned(),
            1 => "1 terminal detached".to_owned(),
            n => format!("{n} terminals detached"),
        });
    }
    Ok(0)
}
