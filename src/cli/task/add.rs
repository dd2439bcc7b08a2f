//! The `task add` command.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::super::Invocation;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{times, ui};
use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::error::Error;
use crate::manager::TaskRequest;
use crate::manager::Tasks;
use crate::model::{Priority, Task, TaskId};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "add",
    "Add a task to the queue of an agent, or start an agent for it",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("to", ArgumentValue::Agent), ("priority", ArgumentValue::Priority)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Agent; spec or kind to start a new agent; or `any:SPEC` for the first idle one
    #[arg(value_name = "AGENT", allow_hyphen_values = true)]
    to: String,
    /// Task; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Priority: critical, high, normal, low or idle
    #[arg(long, value_name = "P", default_value = "normal")]
    priority: Priority,
    /// Start only after this task is done; may be repeated
    #[arg(long, value_name = "ID")]
    after: Vec<TaskId>,
    /// File to hand over; `status: open` in its front matter becomes in-progress
    #[arg(long, value_name = "FILE")]
    topic: Option<PathBuf>,
    /// Time limit of the task
    #[arg(long, value_name = "D", value_parser = times::duration)]
    timeout: Option<Duration>,
    /// Number of retries after a failure
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    /// Directory of a newly started agent [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    trust: TrustFlag,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let request = TaskRequest {
        to: args.to,
        text: text(args.text)?,
        priority: args.priority,
        after: args.after,
        topic: args.topic,
        timeout: args.timeout,
        retries: args.retries,
        dir: args.dir,
        by: None,
    };
    let added = with_trust(context, args.trust, || Tasks(&context.manager).task_add(request.clone()))?;
    if let Some(name) = &added.spawned {
        context.ui.say(&format!("started `{name}` for it"));
    }
    for remark in &added.remarks {
        context.ui.say(remark);
    }
    if context.ui.json {
        context.ui.json(&added.task);
    } else if ui::is_shown() {
        context.ui.data(&sentence(&added.task));
    } else {
        context.ui.data(&added.task.id.to_string());
    }
    Ok(0)
}

/// Describes a new task in a sentence. A program that reads a pipe receives only its number.
fn sentence(task: &Task) -> String {
    let queue = match (&task.agent_name, &task.pool) {
        (Some(name), _) => format!("the queue of `{name}`"),
        (None, Some(spec)) => format!("the queue for any `{spec}` agent"),
        (None, None) => "the queue".to_owned(),
    };
    let blocked = match task.blocked {
        0 => String::new(),
        1 => ", and waits for 1 other task".to_owned(),
        others => format!(", and waits for {others} other tasks"),
    };
    format!("task {} is on {queue}{blocked}", task.id)
}

/// Returns the given text, or standard input if the text is `-`.
pub(super) fn text(given: String) -> Result<String, Error> {
    match given.as_str() {
        "-" => ui::standard_input().map_err(Error::io("cannot read the text from stdin")),
        _ => Ok(given),
    }
}
