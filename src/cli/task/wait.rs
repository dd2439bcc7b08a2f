//! The `task wait` command.

use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::super::Invocation;
use crate::cli::render::agent_table::clean;
use crate::cli::render::{times, ui};
use crate::error::Error;
use crate::manager::Tasks;
use crate::model::{Task, TaskId, TaskState};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The task's number
    id: TaskId,
    /// Time limit; exit code 7 when it is reached
    #[arg(long, value_name = "D", value_parser = times::duration)]
    timeout: Option<Duration>,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let bar = bar(context);
    let mut told = None;
    let waited = Tasks(&context.manager).task_wait(args.id, args.timeout, |task| {
        show(&bar, task);
        // The task makes no progress until the agent's question is answered, so the question is printed.
        let asks = Tasks(&context.manager).what_its_agent_waits_for(task).ok().flatten();
        if asks.is_some() && asks != told {
            bar.suspend(|| context.ui.say(&clean(asks.as_deref().unwrap_or_default())));
        }
        told = asks;
    });
    bar.finish_and_clear();
    let task = waited?;
    if context.ui.json {
        context.ui.json(&task);
    } else {
        if task.state != TaskState::Done {
            context.ui.say(&format!("task {} is {}: {}", task.id, task.state, clean(&task.why)));
        }
        let result = task.result.as_deref().unwrap_or_default();
        context.ui.data(&result.lines().map(|line| clean(line) + "\n").collect::<String>());
    }
    Ok(u8::from(task.state != TaskState::Done))
}

/// Returns a progress bar, which is hidden unless a user watches stderr.
fn bar(context: &Invocation) -> ProgressBar {
    if context.ui.json || !ui::is_watched() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(100);
    let style = ProgressStyle::with_template("{prefix} {bar:30} {pos}% {msg}");
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

fn show(bar: &ProgressBar, task: &Task) {
    bar.set_prefix(format!("task {} {}", task.id, task.state));
    let (percent, note) = match &task.progress {
        Some(progress) => (progress.percent, progress.note.as_str()),
        None => (0, task.why.as_str()),
    };
    bar.set_message(clean(note));
    bar.set_position(percent.into());
    bar.tick();
}
