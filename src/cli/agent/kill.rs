//! The `agent kill` command, with its alias `agent stop`.

use std::time::Duration;

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared, render::times};
use crate::error::Error;
use crate::manager::Lifecycle;
use crate::model::AgentName;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    names: Vec<String>,
    /// End all agents that run or wait for a restart
    #[arg(long)]
    all: bool,
    /// End their children too, without asking
    #[arg(long)]
    with_children: bool,
    /// Time to end by itself before it is killed
    #[arg(long, value_name = "D", default_value = "5s", value_parser = times::duration)]
    grace: Duration,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let names: Vec<AgentName> = match args.all {
        true => Lifecycle(&context.manager).live()?,
        false => args.names.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?,
    };
    let below = Lifecycle(&context.manager).descendants(&names)?;
    let with_children = args.with_children || (!below.is_empty() && asked_to_end(&below, context)?);
    let (names, left): (Vec<AgentName>, _) = match with_children {
        true => (names.into_iter().chain(below).collect(), vec![]),
        false => (names, below),
    };
    let mut worst = 0;
    let mut done = Vec::new();
    for (name, outcome) in Lifecycle(&context.manager).kill_all(&names, args.grace) {
        match outcome {
            Ok(killed) => {
                killed.remarks.iter().for_each(|remark| context.ui.warn(remark));
                let said = if killed.was_running { "ended" } else { "did not run" };
                context.ui.say(&format!("`{name}` {said}; `symposium agent resume {name}` brings it back"));
                done.push(serde_json::json!({ "name": name, "was_running": killed.was_running }));
            }
            Err(error) => worst = worst.max(context.ui.error(&error.report())),
        }
    }
    if !left.is_empty() {
        let left: Vec<&str> = left.iter().map(AgentName::as_str).collect();
        context.ui.say(&format!(
            "children of these go on: {}; `--with-children` ends them too, or `symposium agent kill {}`",
            left.join(", "),
            left.join(" ")
        ));
    }
    if context.ui.json {
        context.ui.json(&done);
    } else if names.is_empty() {
        context.ui.say("no agent runs");
    }
    Ok(worst)
}

/// Asks the user about the children before any process is ended. Without a terminal, and by default, the children
/// keep running.
fn asked_to_end(children: &[AgentName], context: &Invocation) -> Result<bool, Error> {
    if !context.ui.can_ask() {
        return Ok(false);
    }
    let (these, names) = match children {
        [one] => ("its child", one.to_string()),
        several => ("their children", several.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ")),
    };
    context.ui.confirm(&format!("end {these} too: {names}?"))
}
