//! The `task wait` command.

use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::super::Invocation;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{times, ui};
use crate::error::Error;
use crate::manager::Tasks;
use crate::model::{Task, TaskId, TaskState};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "wait",
    "Wait until a task ends and show its progress",
    Remote::READ_ONLY,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("id", ArgumentValue::Task)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Number of the task
    id: TaskId,
    /// Time limit; exit code 7 when it is reached
    #[arg(long, value_name = "D", value_parser = times::duration)]
    timeout: Option<Duration>,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let bar = bar(context);
    let mut reported = None;
    let waited = Tasks(&context.manager).task_wait(args.id, args.timeout, |task| {
        show(&bar, task);
        // The task makes no progress until the agent's question is answered, so the question is printed.
        let asks = Tasks(&context.manager).waiting_reason(task).ok().flatten();
        if asks.is_some() && asks != reported {
            bar.suspend(|| context.ui.say(&clean(asks.as_deref().unwrap_or_default())));
        }
        reported = asks;
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
    if context.ui.json || !ui::is_stderr_terminal() {
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
