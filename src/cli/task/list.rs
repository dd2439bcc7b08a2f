//! `task list`

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use super::super::table::{Keep, clean, cut};
use super::super::times::age;
use super::super::{Context, spawn, ui};
use crate::env::Env;
use crate::error::Error;
use crate::manager::TaskFilter;
use crate::model::{Task, TaskState};

/// How many a person is shown at once.
const MOST: usize = 50;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Only those of this agent
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    agent: Option<String>,
    /// Only those in this state; may be given several times
    #[arg(long, value_name = "S", value_enum)]
    state: Vec<State>,
    /// Also those that are over
    #[arg(long, conflicts_with = "state")]
    all: bool,
    /// At most so many, the newest; 50 when nothing is said, all of them with --json
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The states as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Queued,
    Dispatched,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl From<State> for TaskState {
    fn from(state: State) -> TaskState {
        match state {
            State::Queued => TaskState::Queued,
            State::Dispatched => TaskState::Dispatched,
            State::Running => TaskState::Running,
            State::Done => TaskState::Done,
            State::Failed => TaskState::Failed,
            State::Cancelled => TaskState::Cancelled,
        }
    }
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let agent = args.agent.as_deref().map(spawn::name).transpose()?;
    let states = match (args.all, args.state.is_empty()) {
        (true, _) => vec![],
        // What went wrong is open too: somebody has to look.
        (false, true) => [&TaskState::OPEN[..], &[TaskState::Failed]].concat(),
        (false, false) => args.state.into_iter().map(TaskState::from).collect(),
    };
    let limit = args.limit.or((!context.ui.json).then_some(MOST));
    let newest = limit.map(|limit| limit.saturating_add(1));
    let mut tasks = context.manager.task_list(&TaskFilter { agent, states, newest })?;
    let more = limit.is_some_and(|limit| tasks.len() > limit);
    if more {
        tasks.remove(0);
    }
    if context.ui.json {
        context.ui.json(&tasks);
    } else if tasks.is_empty() {
        context
            .ui
            .say("no tasks; `symposium task add AGENT TEXT` adds one, `--all` shows those that are over");
    } else {
        context.ui.data(&table(&tasks, ui::width(), Env::now()));
        if more {
            context.ui.say("older ones are not shown; `--limit N` shows more");
        }
    }
    Ok(0)
}

/// One line a task.
fn table(tasks: &[Task], width: usize, now: Timestamp) -> String {
    let head = ["ID", "STATE", "AGENT", "SINCE", "TASK"].map(str::to_owned);
    let rows: Vec<[String; 5]> = tasks.iter().map(|task| row(task, now)).collect();
    let mut widths = [0; 5];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    widths[2] = widths[2].min(width / 4);
    let taken: usize = widths[..4].iter().sum::<usize>() + 8;
    widths[4] = width.saturating_sub(taken).max(8);
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| {
            let cell = cut(cell, width, Keep::Beginning);
            let pad = if at == 4 { 0 } else { width.saturating_sub(cell.width()) };
            format!("{cell}{:pad$}", "")
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    [head].iter().chain(&rows).map(line).collect()
}

fn row(task: &Task, now: Timestamp) -> [String; 5] {
    let state = match (&task.progress, task.state) {
        (Some(progress), TaskState::Running) => format!("running {}%", progress.percent),
        (_, TaskState::Queued) if task.blocked > 0 => "blocked".into(),
        (_, TaskState::Failed) if task.flagged => "unknown".into(),
        (_, state) => state.to_string(),
    };
    let words = match (task.state, &task.progress) {
        (TaskState::Running, Some(progress)) if !progress.note.is_empty() => {
            format!("{} ({})", task.title(), progress.note)
        }
        (TaskState::Failed, _) => format!("{}: {}", task.title(), task.why),
        _ => task.title(),
    };
    [task.id.to_string(), state, task.whose(), age(task.changed_at, now), clean(&words)]
}
