//! The `symposium task` commands.

use crate::manager::{Permissions, Tasks};
mod add;
mod list;
mod show;
mod wait;

use clap::{Args, Subcommand};

use super::Invocation;
use crate::error::Error;
use crate::model::{Progress, Task, TaskId};

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Add a task to the queue of an agent, or start an agent for it
    Add(Box<add::Arguments>),
    /// List tasks and how far they are
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show one task with its history and result
    Show(One),
    /// Wait until a task is over and show its progress
    Wait(wait::Arguments),
    /// Cancel a task; an agent that has begun it goes on
    Cancel(One),
    /// Queue a task that failed or was cancelled again
    Retry(One),
    /// Report progress on a task
    Progress(Report),
    /// Report that a task is done, with its result
    Done(Done),
    /// Report that a task cannot be done, with the reason
    Fail(Fail),
}

#[derive(Debug, Args)]
pub(super) struct One {
    /// The task's number
    id: TaskId,
}

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The task's number
    id: TaskId,
    /// Percentage done, 0 to 100
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: u8,
    /// Note about the progress
    #[arg(allow_hyphen_values = true)]
    note: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Done {
    /// The task's number
    id: TaskId,
    /// Result; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    result: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Fail {
    /// The task's number
    id: TaskId,
    /// Reason
    #[arg(allow_hyphen_values = true, default_value = "it was reported failed")]
    why: String,
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    let manager = &context.manager;
    match &verb {
        Verb::Cancel(One { id }) | Verb::Retry(One { id }) => {
            Permissions(manager).refuse_foreign_withdrawal(*id)?
        }
        Verb::Progress(Report { id, .. }) | Verb::Done(Done { id, .. }) | Verb::Fail(Fail { id, .. }) => {
            Permissions(manager).refuse_foreign_report(*id)?;
        }
        Verb::Add(_) | Verb::List(_) | Verb::Show(_) | Verb::Wait(_) => {}
    }
    let (task, said) = match verb {
        Verb::Add(args) => return add::run(*args, context),
        Verb::List(args) => return list::run(args, context),
        Verb::Show(args) => return show::run(args.id, context),
        Verb::Wait(args) => return wait::run(&args, context),
        Verb::Cancel(args) => return cancel(args.id, context),
        Verb::Retry(args) => (Tasks(manager).task_retry(args.id)?, "is on its queue again"),
        Verb::Progress(args) => {
            let progress = Progress { percent: args.percent, note: args.note.unwrap_or_default() };
            (Tasks(manager).task_progress(args.id, &progress)?, "goes on")
        }
        Verb::Done(args) => {
            let result = args.result.map(add::text).transpose()?;
            (Tasks(manager).task_done(args.id, result.as_deref())?, "is done")
        }
        Verb::Fail(args) => (Tasks(manager).task_fail(args.id, &args.why)?, "has failed"),
    };
    tell(&task, said, context);
    Ok(0)
}

/// Cancels a task and reports an agent that is still working on it.
fn cancel(id: TaskId, context: &Invocation) -> Result<u8, Error> {
    let at_work = Tasks(&context.manager).works_at(id)?;
    tell(&Tasks(&context.manager).task_cancel(id)?, "is cancelled", context);
    if let Some(name) = at_work {
        context.ui.say(&format!(
            "`{name}` goes on with what it does; `symposium agent interrupt {name}` ends that"
        ));
    }
    Ok(0)
}

fn tell(task: &Task, said: &str, context: &Invocation) {
    if context.ui.json {
        context.ui.json(task);
    } else {
        context.ui.say(&format!("task {} {said}", task.id));
    }
}
