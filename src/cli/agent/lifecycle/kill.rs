//! The `agent kill` command, with its alias `agent stop`.

use std::time::Duration;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::times};
use crate::error::Error;
use crate::manager::Family;
use crate::manager::Termination;
use crate::model::AgentName;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "kill",
    "End agents and their process trees; records and conversations are kept",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("names", ArgumentValue::Agent)])
.aliases(&["stop"])
.short_forms(&["kill"])
.fast();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    names: Vec<String>,
    /// End all agents that run or wait for a restart
    #[arg(long)]
    all: bool,
    /// Also end their children, without confirmation
    #[arg(long)]
    with_children: bool,
    /// Time that an agent gets to exit before it is killed
    #[arg(long, value_name = "D", default_value = "5s", value_parser = times::duration)]
    grace: Duration,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let names: Vec<AgentName> = match args.all {
        true => Termination(&context.manager).live()?,
        false => args.names.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?,
    };
    let below = Family(&context.manager).descendants(&names)?;
    let with_children = args.with_children || (!below.is_empty() && confirm_children(&below, context)?);
    let (names, left): (Vec<AgentName>, _) = match with_children {
        true => (names.into_iter().chain(below).collect(), vec![]),
        false => (names, below),
    };
    let mut worst = 0;
    let mut done = Vec::new();
    for (name, outcome) in Termination(&context.manager).kill_all(&names, args.grace) {
        match outcome {
            Ok(killed) => {
                killed.remarks.iter().for_each(|remark| context.ui.warn(remark));
                let outcome = if killed.was_running { "ended" } else { "was not running" };
                context
                    .ui
                    .say(&format!("`{name}` {outcome}; `symposium agent resume {name}` brings it back"));
                done.push(serde_json::json!({ "name": name, "was_running": killed.was_running }));
            }
            Err(error) => worst = worst.max(context.ui.error(&error)),
        }
    }
    if !left.is_empty() {
        let left: Vec<&str> = left.iter().map(AgentName::as_str).collect();
        context.ui.say(&format!(
            "their children keep running: {}; `--with-children` ends them too, or `symposium agent kill {}`",
            left.join(", "),
            left.join(" ")
        ));
    }
    if context.ui.json {
        context.ui.json(&done);
    } else if names.is_empty() {
        context.ui.say("no agent is running");
    }
    Ok(worst)
}

/// Asks the user about the children before any process is ended. Without a terminal, and by default, the children
/// keep running.
fn confirm_children(children: &[AgentName], context: &Invocation) -> Result<bool, Error> {
    if !context.ui.can_ask() {
        return Ok(false);
    }
    let (these, names) = match children {
        [child] => ("its child", child.to_string()),
        several => ("their children", several.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ")),
    };
    context.ui.confirm(&format!("end {these} too: {names}?"))
}
