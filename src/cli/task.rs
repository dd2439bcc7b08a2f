//! `symposium task VERB`

mod add;
mod list;
mod show;
mod wait;

use clap::{Args, Subcommand};

use super::Context;
use crate::error::Error;
use crate::model::{Progress, Task, TaskId};

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Put work on the queue of an agent, of a new agent of a spec, or of any agent of a spec
    Add(Box<add::Arguments>),
    /// What is to be done and how far it is
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// One task with all that happened to it, and its result
    Show(One),
    /// Wait until a task is over, and show how far it is meanwhile
    Wait(wait::Arguments),
    /// Take a task off its queue; an agent that is at it already goes on
    Cancel(One),
    /// Once more what failed or was cancelled
    Retry(One),
    /// Say how far a task is
    Progress(Report),
    /// Say that a task is done, and what came of it
    Done(Done),
    /// Say that a task cannot be done, and why
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
    /// How much of it is done, of a hundred
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: u8,
    /// In words
    #[arg(allow_hyphen_values = true)]
    note: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Done {
    /// The task's number
    id: TaskId,
    /// What came of it; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    result: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Fail {
    /// The task's number
    id: TaskId,
    /// Why
    #[arg(allow_hyphen_values = true, default_value = "it was reported failed")]
    why: String,
}

pub(super) fn run(verb: Verb, context: &Context) -> Result<u8, Error> {
    let manager = &context.manager;
    match &verb {
        Verb::Cancel(One { id }) | Verb::Retry(One { id }) => manager.refuse_foreign_withdrawal(*id)?,
        Verb::Progress(Report { id, .. }) | Verb::Done(Done { id, .. }) | Verb::Fail(Fail { id, .. }) => {
            manager.refuse_foreign_report(*id)?;
        }
        Verb::Add(_) | Verb::List(_) | Verb::Show(_) | Verb::Wait(_) => {}
    }
    let (task, said) = match verb {
        Verb::Add(args) => return add::run(*args, context),
        Verb::List(args) => return list::run(args, context),
        Verb::Show(args) => return show::run(args.id, context),
        Verb::Wait(args) => return wait::run(&args, context),
        Verb::Cancel(args) => return cancel(args.id, context),
        Verb::Retry(args) => (manager.task_retry(args.id)?, "is on its queue again"),
        Verb::Progress(args) => {
            let progress = Progress { percent: args.percent, note: args.note.unwrap_or_default() };
            (manager.task_progress(args.id, &progress)?, "goes on")
        }
        Verb::Done(args) => {
            let result = args.result.map(add::text).transpose()?;
            (manager.task_done(args.id, result.as_deref())?, "is done")
        }
        Verb::Fail(args) => (manager.task_fail(args.id, &args.why)?, "has failed"),
    };
    tell(&task, said, context);
    Ok(0)
}

/// Takes a task off the list, and says who goes on with it all the same.
fn cancel(id: TaskId, context: &Context) -> Result<u8, Error> {
    let at_work = context.manager.works_at(id)?;
    tell(&context.manager.task_cancel(id)?, "is cancelled", context);
    if let Some(name) = at_work {
        context.ui.say(&format!(
            "`{name}` goes on with what it does; `symposium agent interrupt {name}` ends that"
        ));
    }
    Ok(0)
}

fn tell(task: &Task, said: &str, context: &Context) {
    if context.ui.json {
        context.ui.json(task);
    } else {
        context.ui.say(&format!("task {} {said}", task.id));
    }
}
