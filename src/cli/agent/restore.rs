//! The `agent restore` command: resumes agents that were lost.

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::base::plural::counted;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::Restoration;
use crate::manager::{RestoreScope, Restored};
use crate::model::AgentName;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "restore",
    "Resume agents that were lost in a reboot or a crash of tmux",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("names", ArgumentValue::Agent)])
.short_forms(&["restore"]);

/// Number of agents from which on a progress bar replaces single lines.
const CONFIRM_ABOVE: usize = 5;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents
    #[arg(conflicts_with = "all")]
    names: Vec<String>,
    /// Restore all agents that are lost
    #[arg(long)]
    all: bool,
    /// Ask agents that were interrupted in the middle of a turn to continue
    #[arg(long = "continue")]
    go_on: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let (names, scope): (Vec<AgentName>, _) = match args.names.is_empty() {
        true => (Restoration(&context.manager).lost()?, RestoreScope::Lost),
        false => (
            args.names.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?,
            RestoreScope::Named,
        ),
    };
    if args.names.is_empty() && !args.all && !names.is_empty() {
        let list = names.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
        return Err(Error::usage(format!("{} lost: {list}", counted(names.len(), "agent is", "agents are")))
            .hint("`symposium agent restore --all` brings all of them back"));
    }
    if names.is_empty() && !args.go_on && !context.ui.json {
        context.ui.say("no agent is lost");
        return Ok(0);
    }
    let bar = bar(names.len());
    let restored = Restoration(&context.manager).restore(&names, scope, &|restored_agent: &Restored| {
        bar.set_message(restored_agent.name.to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let named = (scope == RestoreScope::Named).then_some(&names[..]);
    let continued = match args.go_on {
        true => Restoration(&context.manager).continue_cut_off(named)?,
        false => Vec::new(),
    };
    Ok(report_outcomes(&restored, &continued, context))
}

fn bar(count: usize) -> ProgressBar {
    if count < CONFIRM_ABOVE || !ui::is_stderr_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("restoring {bar:30} {pos}/{len} {msg}");
    let bar = ProgressBar::new(count as u64);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

/// Prints the outcome for each agent and returns the exit code.
fn report_outcomes(
    restored: &[Restored],
    continued: &[(AgentName, Result<(), Error>)],
    context: &Invocation,
) -> u8 {
    let mut worst = 0;
    for restored_agent in restored {
        match &restored_agent.outcome {
            Ok(remark) => context.ui.say(&format!("`{}` {remark}", restored_agent.name)),
            Err(error) if !context.ui.json => worst = worst.max(context.ui.error(error)),
            Err(error) => worst = worst.max(error.exit()),
        }
    }
    for (name, outcome) in continued {
        match outcome {
            Ok(()) => context.ui.say(&format!("`{name}` was asked to continue")),
            Err(error) if !context.ui.json => worst = worst.max(context.ui.error(error)),
            Err(error) => worst = worst.max(error.exit()),
        }
    }
    if context.ui.json {
        context.ui.json(&rows(restored, continued));
    }
    worst
}

fn rows(restored: &[Restored], continued: &[(AgentName, Result<(), Error>)]) -> Vec<serde_json::Value> {
    let row = |restored_agent: &Restored| {
        let (is_restored, remark) = match &restored_agent.outcome {
            Ok(remark) => (!restored_agent.was_back, remark.clone()),
            Err(error) => (false, error.to_string()),
        };
        let mut row =
            serde_json::json!({ "name": restored_agent.name, "restored": is_restored, "remark": remark });
        if let Some((_, outcome)) = continued.iter().find(|(name, _)| *name == restored_agent.name) {
            row["continued"] = outcome.is_ok().into();
        }
        row
    };
    let others = continued
        .iter()
        .filter(|(name, _)| restored.iter().all(|restored_agent| restored_agent.name != *name));
    let other = |(name, outcome): &(AgentName, Result<(), Error>)| {
        let remark =
            outcome.as_ref().err().map_or_else(|| "was asked to continue".to_owned(), Error::to_string);
        serde_json::json!({ "name": name, "restored": false, "remark": remark, "continued": outcome.is_ok() })
    };
    restored.iter().map(row).chain(others.map(other)).collect()
}
