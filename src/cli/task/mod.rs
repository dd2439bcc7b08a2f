//! The `symposium task` commands.
//!
//! - `add`: `task add`
//! - `list`: `task list`
//! - `show`: `task show`
//! - `wait`: `task wait`

mod add;
mod list;
mod show;
mod wait;

use clap::Args;

use super::Invocation;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{Permissions, Tasks};
use crate::model::{Task, TaskId, TaskProgress};

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "task",
    "Add, list and follow tasks on the queues of agents",
    &[add::COMMAND, list::COMMAND, show::COMMAND, wait::COMMAND, CANCEL, RETRY, PROGRESS, DONE, FAIL],
);

const CANCEL: CommandDefinition = CommandDefinition::new(
    "cancel",
    "Cancel a task; an agent that already works on it continues",
    Remote::ONCE,
    |args, context| cancel(&parsed(args)?, context),
)
.arguments::<TaskArguments>()
.values(&[("id", ArgumentValue::Task)]);

const RETRY: CommandDefinition = CommandDefinition::new(
    "retry",
    "Queue a task that failed or was cancelled again",
    Remote::ONCE,
    |args, context| retry(&parsed(args)?, context),
)
.arguments::<TaskArguments>()
.values(&[("id", ArgumentValue::Task)]);

const PROGRESS: CommandDefinition =
    CommandDefinition::new("progress", "Report progress on a task", Remote::ONCE, |args, context| {
        progress(parsed(args)?, context)
    })
    .arguments::<TaskReportArguments>()
    .values(&[("id", ArgumentValue::Task)]);

const DONE: CommandDefinition = CommandDefinition::new(
    "done",
    "Report that a task is done, with its result",
    Remote::ONCE,
    |args, context| done(parsed(args)?, context),
)
.arguments::<TaskDoneArguments>()
.values(&[("id", ArgumentValue::Task)]);

const FAIL: CommandDefinition = CommandDefinition::new(
    "fail",
    "Report that a task cannot be done, with the reason",
    Remote::ONCE,
    |args, context| fail(&parsed(args)?, context),
)
.arguments::<TaskFailArguments>()
.values(&[("id", ArgumentValue::Task)]);

#[derive(Debug, Args)]
pub(super) struct TaskArguments {
    /// Number of the task
    id: TaskId,
}

#[derive(Debug, Args)]
pub(super) struct TaskReportArguments {
    /// Number of the task
    id: TaskId,
    /// Percentage done, 0 to 100
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: u8,
    /// Note about the progress
    #[arg(allow_hyphen_values = true)]
    note: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TaskDoneArguments {
    /// Number of the task
    id: TaskId,
    /// Result; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    result: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TaskFailArguments {
    /// Number of the task
    id: TaskId,
    /// Reason for the failure
    #[arg(allow_hyphen_values = true, default_value = "it was reported failed")]
    why: String,
}

/// Cancels a task and reports an agent that is still working on it.
fn cancel(args: &TaskArguments, context: &Invocation) -> Result<u8, Error> {
    Permissions(&context.manager).refuse_foreign_withdrawal(args.id)?;
    let at_work = Tasks(&context.manager).works_at(args.id)?;
    report(&Tasks(&context.manager).task_cancel(args.id)?, "is cancelled", context);
    if let Some(name) = at_work {
        context
            .ui
            .say(&format!("`{name}` continues its current turn; `symposium agent interrupt {name}` ends it"));
    }
    Ok(0)
}

fn retry(args: &TaskArguments, context: &Invocation) -> Result<u8, Error> {
    Permissions(&context.manager).refuse_foreign_withdrawal(args.id)?;
    report(&Tasks(&context.manager).task_retry(args.id)?, "is queued again", context);
    Ok(0)
}

fn progress(args: TaskReportArguments, context: &Invocation) -> Result<u8, Error> {
    Permissions(&context.manager).refuse_foreign_report(args.id)?;
    let progress = TaskProgress { percent: args.percent, note: args.note.unwrap_or_default() };
    report(&Tasks(&context.manager).task_progress(args.id, &progress)?, "continues", context);
    Ok(0)
}

fn done(args: TaskDoneArguments, context: &Invocation) -> Result<u8, Error> {
    Permissions(&context.manager).refuse_foreign_report(args.id)?;
    let result = args.result.map(add::text).transpose()?;
    report(&Tasks(&context.manager).task_done(args.id, result.as_deref())?, "is done", context);
    Ok(0)
}

fn fail(args: &TaskFailArguments, context: &Invocation) -> Result<u8, Error> {
    Permissions(&context.manager).refuse_foreign_report(args.id)?;
    report(&Tasks(&context.manager).task_fail(args.id, &args.why)?, "has failed", context);
    Ok(0)
}

fn report(task: &Task, outcome: &str, context: &Invocation) {
    if context.ui.json {
        context.ui.json(task);
    } else {
        context.ui.say(&format!("task {} {outcome}", task.id));
    }
}
