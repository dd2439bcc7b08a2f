//! The `task list` command.

mod table;

use clap::{Args, ValueEnum};

use super::super::Invocation;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::render::redraw::{fitting, redraw};
use crate::cli::{
    agent::lifecycle::spawn,
    render::{times, ui},
};
use crate::error::Error;
use crate::manager::{TaskFilter, TaskView, Tasks};
use crate::model::{TaskState, TaskStatus};
use table::table;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "list",
    "List tasks with their progress",
    Remote::READ_ONLY.flags(&[("watch", RemoteMode::Redraw)]),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("agent", ArgumentValue::Agent)])
.aliases(&["ls"]);

/// Maximum number of tasks that are shown unless `--limit` is given.
const DEFAULT_LIMIT: usize = 50;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Only tasks of this agent
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    agent: Option<String>,
    /// Only tasks in this state; may be repeated
    #[arg(long, value_name = "STATE", value_enum)]
    state: Vec<StatusArgument>,
    /// Include tasks that have ended
    #[arg(long, conflicts_with = "state")]
    all: bool,
    /// Only tasks that changed since a time or within a duration (8h), also ended ones
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Maximum number of tasks, newest first [default: 50; all with --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Update the list at each change; with --json, print one array per line
    #[arg(long)]
    watch: bool,
}

/// A task status as a command line argument.
#[derive(Debug, Clone, Copy)]
struct StatusArgument(TaskStatus);

impl ValueEnum for StatusArgument {
    fn value_variants<'a>() -> &'a [StatusArgument] {
        const ALL: [StatusArgument; 9] = {
            let mut all = [StatusArgument(TaskStatus::Queued); 9];
            let mut at = 0;
            while at < all.len() {
                all[at] = StatusArgument(TaskStatus::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.word()))
    }
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let wanted = TaskSelection::of(&args, context)?;
    if args.watch {
        return redraw(context, |_| {
            let SelectedTasks { tasks, .. } = wanted.find(context)?;
            Ok(match (context.ui.json, tasks.is_empty()) {
                (true, _) => serde_json::to_string(&tasks).unwrap_or_else(|_| "[]".into()),
                (false, true) => "no tasks to show".into(),
                (false, false) => fitting(&table(&tasks, ui::width(), context.manager.now()), ui::height()),
            })
        });
    }
    let SelectedTasks { tasks, has_more } = wanted.find(context)?;
    if context.ui.json {
        context.ui.json(&tasks);
    } else if tasks.is_empty() {
        context
            .ui
            .say("no tasks; `symposium task add AGENT TEXT` adds one, `--all` shows those that are over");
    } else {
        context.ui.data(&table(&tasks, ui::width(), context.manager.now()));
        if has_more {
            context.ui.say("older tasks are not shown; `--limit N` shows more");
        }
    }
    Ok(0)
}

/// The selection of tasks to show.
struct TaskSelection {
    filter: TaskFilter,
    /// The values of `--state`; empty without the option.
    statuses: Vec<TaskStatus>,
    limit: Option<usize>,
}

/// The tasks that were found, and whether older ones were left out.
struct SelectedTasks {
    tasks: Vec<TaskView>,
    has_more: bool,
}

impl TaskSelection {
    fn of(args: &Arguments, context: &Invocation) -> Result<TaskSelection, Error> {
        let agent = args.agent.as_deref().map(spawn::name).transpose()?;
        let since =
            args.since.as_deref().map(|text| times::parse_time(text, context.manager.now())).transpose();
        let since = since.map_err(Error::usage)?;
        let statuses: Vec<TaskStatus> = args.state.iter().map(|state| state.0).collect();
        let mut states: Vec<TaskState> = statuses.iter().map(|status| status.state()).collect();
        if states.is_empty() && !args.all && since.is_none() {
            // A failed task needs attention, so it is shown with the open ones.
            states = [&TaskState::OPEN[..], &[TaskState::Failed]].concat();
        }
        states.dedup();
        let limit = args.limit.or((!context.ui.json).then_some(DEFAULT_LIMIT));
        // A refined status is known only after the tasks were read, so the limit is applied afterwards.
        let is_refined = statuses.iter().any(|status| status.word() != status.state().word());
        let newest = limit.filter(|_| !is_refined).map(|limit| limit.saturating_add(1));
        Ok(TaskSelection { filter: TaskFilter { agent, states, newest, since }, statuses, limit })
    }

    fn find(&self, context: &Invocation) -> Result<SelectedTasks, Error> {
        let mut tasks = Tasks(&context.manager).task_views(&self.filter)?;
        tasks.retain(|view| self.wants(view));
        let over = self.limit.map_or(0, |limit| tasks.len().saturating_sub(limit));
        tasks.drain(..over);
        Ok(SelectedTasks { tasks, has_more: over > 0 })
    }

    /// Checks whether a task is shown. A stored state includes its refinements: `--state queued` also shows blocked
    /// tasks.
    fn wants(&self, view: &TaskView) -> bool {
        self.statuses.is_empty()
            || self
                .statuses
                .iter()
                .any(|wanted| *wanted == view.status || wanted.word() == view.task.state.word())
    }
}
