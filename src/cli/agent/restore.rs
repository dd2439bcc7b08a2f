//! The `agent restore` command: resumes agents that were lost.

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::base::plural::counted;
use crate::cli::{Invocation, agent::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::Lifecycle;
use crate::manager::{RestoreScope, Restored};
use crate::model::AgentName;

/// Number of agents from which on a progress bar replaces single lines.
const MANY: usize = 5;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents
    #[arg(conflicts_with = "all")]
    names: Vec<String>,
    /// Restore all agents that are lost
    #[arg(long)]
    all: bool,
    /// Ask agents that were cut off in the middle of a turn to go on
    #[arg(long = "continue")]
    go_on: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let (names, whom): (Vec<AgentName>, _) = match args.names.is_empty() {
        true => (Lifecycle(&context.manager).lost()?, RestoreScope::Lost),
        false => (
            args.names.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?,
            RestoreScope::Named,
        ),
    };
    if args.names.is_empty() && !args.all && !names.is_empty() {
        let list = names.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
        return Err(Error::Usage {
            what: format!("{} lost: {list}", counted(names.len(), "agent is", "agents are")),
            hint: Some("`symposium agent restore --all` brings all of them back".into()),
        });
    }
    if names.is_empty() && !args.go_on && !context.ui.json {
        context.ui.say("no agent is lost");
        return Ok(0);
    }
    let bar = bar(names.len());
    let restored = Lifecycle(&context.manager).restore(&names, whom, &|one: &Restored| {
        bar.set_message(one.name.to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let named = (whom == RestoreScope::Named).then_some(&names[..]);
    let continued = match args.go_on {
        true => Lifecycle(&context.manager).continue_cut_off(named)?,
        false => Vec::new(),
    };
    Ok(tell(&restored, &continued, context))
}

fn bar(count: usize) -> ProgressBar {
    if count < MANY || !ui::is_watched() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("restoring {bar:30} {pos}/{len} {msg}");
    let bar = ProgressBar::new(count as u64);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

/// Prints the outcome for each agent and returns the exit code.
fn tell(restored: &[Restored], continued: &[(AgentName, Result<(), Error>)], context: &Invocation) -> u8 {
    let mut worst = 0;
    for one in restored {
        match &one.outcome {
            Ok(remark) => context.ui.say(&format!("`{}` {remark}", one.name)),
            Err(error) if !context.ui.json => worst = worst.max(context.ui.error(&error.report())),
            Err(error) => worst = worst.max(error.report().exit),
        }
    }
    for (name, outcome) in continued {
        match outcome {
            Ok(()) => context.ui.say(&format!("`{name}` was asked to go on")),
            Err(error) if !context.ui.json => worst = worst.max(context.ui.error(&error.report())),
            Err(error) => worst = worst.max(error.report().exit),
        }
    }
    if context.ui.json {
        context.ui.json(&rows(restored, continued));
    }
    worst
}

fn rows(restored: &[Restored], continued: &[(AgentName, Result<(), Error>)]) -> Vec<serde_json::Value> {
    let row = |one: &Restored| {
        let (is_restored, remark) = match &one.outcome {
            Ok(remark) => (!one.was_back, remark.clone()),
            Err(error) => (false, error.to_string()),
        };
        let mut row = serde_json::json!({ "name": one.name, "restored": is_restored, "remark": remark });
        if let Some((_, outcome)) = continued.iter().find(|(name, _)| *name == one.name) {
            row["continued"] = outcome.is_ok().into();
        }
        row
    };
    let others = continued.iter().filter(|(name, _)| restored.iter().all(|one| one.name != *name));
    let other = |(name, outcome): &(AgentName, Result<(), Error>)| {
        let remark = outcome.as_ref().err().map_or_else(|| "was asked to go on".to_owned(), Error::to_string);
        serde_json::json!({ "name": name, "restored": false, "remark": remark, "continued": outcome.is_ok() })
    };
    restored.iter().map(row).chain(others.map(other)).collect()
}
