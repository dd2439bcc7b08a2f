//! The MCP tools for tasks: `add_task`, `task_status`, `wait_task` (see `wait.rs`), `report_progress` and
//! `complete_task`.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::ToolContext;
use super::tool::{Outcome, Said, Tool, ToolEffect};
use super::{agents, context, wait};
use crate::error::Error;
use crate::manager::{Permissions, Tasks};
use crate::manager::{TaskAdded, TaskFilter, TaskRequest};
use crate::model::{self, Progress, Task, TaskId, TaskState};
use crate::rules::access::permissions::{Act, Place};

/// Maximum number of tasks in a list. More would not be useful to a model.
const MOST_LISTED: usize = 50;
/// Prefix of a spec whose agents may all take the task.
const ANY: &str = "any:";

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "add_task",
            ToolEffect::Adds,
            "Put work on the queue of an agent. It is typed in when the agent is idle, one task at a time, by priority \
             and age. `wait_task` gives the result.",
            add,
        ),
        Tool::new(
            "task_status",
            ToolEffect::Reads,
            "One task with all that happened to it; without a number, the open tasks of your place and those you gave.",
            status,
        ),
        Tool::waiting::<wait::Arguments>(
            "wait_task",
            "Wait until a task is over and get its result. When the time is up first, or somebody has to answer its \
             agent, the answer says so: call it again afterwards. Several waits can be under way at once.",
        ),
        Tool::new(
            "report_progress",
            ToolEffect::Adds,
            "Say how far you are with your task; whoever waits for it sees it.",
            progress,
        ),
        Tool::new(
            "complete_task",
            ToolEffect::Adds,
            "End your task with its result, or as failed with the reason. Whoever gave it to you reads the result, so \
             put everything into it that they need.",
            complete,
        ),
    ]
}

/// How urgent a task is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum Priority {
    Critical,
    High,
    Normal,
    Low,
    Idle,
}

impl From<Priority> for model::Priority {
    fn from(priority: Priority) -> model::Priority {
        match priority {
            Priority::Critical => model::Priority::Critical,
            Priority::High => model::Priority::High,
            Priority::Normal => model::Priority::Normal,
            Priority::Low => model::Priority::Low,
            Priority::Idle => model::Priority::Idle,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Add {
    /// An agent's name; a spec, of which an agent is started for it; or `any:SPEC`, which the first idle agent of that
    /// spec takes.
    agent: String,
    /// What is to be done.
    text: String,
    /// How urgent it is; `normal`, when it is left out.
    priority: Option<Priority>,
    /// Numbers of tasks that must be done before.
    #[serde(default)]
    after: Vec<i64>,
    /// A file of your project whose content is handed along.
    topic: Option<PathBuf>,
    /// How many seconds it may take.
    #[schemars(range(min = 1))]
    timeout_s: Option<u32>,
    /// How often it may be tried again when it fails.
    #[serde(default)]
    retries: u32,
}

fn add(desk: &ToolContext, given: Add) -> Outcome {
    let place = desk.place()?;
    may_be_given(desk, &place, &given.agent)?;
    for id in &given.after {
        Permissions(desk.manager()?).task_within_reach(&place, Act::See, TaskId(*id))?;
    }
    let added = Tasks(desk.manager()?).task_add(TaskRequest {
        to: agents::spec(&place, Some(given.agent))?.unwrap_or_default(),
        text: given.text,
        priority: given.priority.map_or(model::Priority::Normal, model::Priority::from),
        after: given.after.into_iter().map(TaskId).collect(),
        topic: Permissions(desk.manager()?).path_within_reach(&place, given.topic)?,
        timeout: given.timeout_s.map(|seconds| Duration::from_secs(u64::from(seconds))),
        retries: given.retries,
        dir: Permissions(desk.manager()?).path_within_reach(&place, Some(PathBuf::new()))?,
        by: None,
    })?;
    let mut text = format!("task {} is on the queue of {}", added.task.id, added.task.whose());
    if let Some(spawned) = &added.spawned {
        text.push_str(&format!(", which was started for it: `{spawned}`"));
    }
    for remark in &added.remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    let data = json!({ "task": view(&added.task), "spawned": added.spawned, "remarks": added.remarks });
    Ok(Said { text, data })
}

/// Rejects agents outside of the caller's permissions, and queues from which such agents take tasks.
fn may_be_given(desk: &ToolContext, place: &Place, to: &str) -> Result<(), Error> {
    if let Some(spec) = to.strip_prefix(ANY) {
        return match (place.allows_pool(spec), place.me()) {
            (true, _) | (_, None) => Ok(()),
            (false, Some(me)) => Err(Error::NotPermitted {
                what: format!("agents of `{spec}` whom `{}` may not give tasks to could take it", me.name),
                hint: "name the agent; `list_agents` tells who is within reach".into(),
            }),
        };
    }
    match to.parse().ok().filter(|name| place.find(name).is_some()) {
        Some(name) => Permissions(desk.manager()?).within_reach(place, Act::Task, &name).map(drop),
        // The name of a spec: an agent that is started for it becomes a child of the caller.
        None => Ok(()),
    }
}

/// Queues the task of an agent that was just started.
pub(super) fn give(desk: &ToolContext, to: &str, text: String) -> Result<TaskAdded, Error> {
    Tasks(desk.manager()?).task_add(TaskRequest { to: to.to_owned(), text, ..TaskRequest::default() })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The task's number.
    id: Option<i64>,
    /// Without a number: only the tasks of this agent.
    agent: Option<String>,
    /// Without a number: also those that are over, the newest ones.
    #[serde(default)]
    all: bool,
}

fn status(desk: &ToolContext, given: Ask) -> Outcome {
    let place = desk.place()?;
    let manager = desk.manager()?;
    if let Some(id) = given.id {
        Permissions(manager).task_within_reach(&place, Act::See, TaskId(id))?;
        let shown = Tasks(manager).task_show(TaskId(id))?;
        let mut text = card(&shown.view.task);
        if let Some(waits_for) = &shown.view.waits_for {
            text.push_str(&format!("\nwaits: {waits_for}"));
        }
        return Ok(Said { text, data: json!(shown) });
    }
    let agent = given.agent.as_deref().map(context::name).transpose()?;
    let states = if given.all { TaskState::ALL.to_vec() } else { TaskState::OPEN.to_vec() };
    let mut tasks = Tasks(manager).task_list(&TaskFilter { agent, states, newest: None, since: None })?;
    tasks.retain(|task| place.allows_about(Act::See, task));
    let left_out = tasks.len().saturating_sub(MOST_LISTED);
    tasks.drain(..left_out);
    let mut text: String = tasks.iter().map(|task| line(task) + "\n").collect();
    if left_out > 0 {
        text.push_str(&format!("{left_out} older ones are left out\n"));
    }
    if text.is_empty() {
        text = "no tasks\n".into();
    }
    let views: Vec<Value> = tasks.iter().map(view).collect();
    Ok(Said { text: text.trim_end().to_owned(), data: json!({ "tasks": views, "left_out": left_out }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Report {
    /// How far it is, of a hundred.
    #[schemars(range(max = 100))]
    percent: u8,
    /// In a few words.
    #[serde(default)]
    note: String,
    /// The task's number; the one you are at, when it is left out.
    id: Option<i64>,
}

fn progress(desk: &ToolContext, given: Report) -> Outcome {
    if given.percent > 100 {
        return Err(Error::Usage { what: "`percent` is at most 100".into(), hint: None });
    }
    let task = mine(desk, given.id)?;
    let progress = Progress { percent: given.percent, note: given.note };
    let task = Tasks(desk.manager()?).task_progress(task.id, &progress)?;
    Ok(Said { text: line(&task), data: json!({ "task": view(&task) }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Complete {
    /// What came of it, or why it failed.
    result: String,
    /// It could not be done.
    #[serde(default)]
    failed: bool,
    /// The task's number; the one you are at, when it is left out.
    id: Option<i64>,
}

fn complete(desk: &ToolContext, given: Complete) -> Outcome {
    let task = mine(desk, given.id)?;
    let manager = desk.manager()?;
    let task = match given.failed {
        true => Tasks(manager).task_fail(task.id, &given.result)?,
        false => Tasks(manager).task_done(task.id, Some(&given.result))?,
    };
    Ok(Said { text: line(&task), data: json!({ "task": view(&task) }) })
}

/// Returns the task to report on: the named one, or else the current task of the caller.
fn mine(desk: &ToolContext, id: Option<i64>) -> Result<Task, Error> {
    let place = desk.place()?;
    let manager = desk.manager()?;
    match (id, place.me()) {
        (Some(id), _) => Permissions(manager).task_within_reach(&place, Act::Report, TaskId(id)),
        (None, Some(me)) => Permissions(manager).task_at_hand(me),
        (None, None) => Err(Error::Usage {
            what: "`id` is needed: who asks is no agent".into(),
            hint: Some("`task_status` tells the numbers".into()),
        }),
    }
}

/// Describes a task in one line.
pub(super) fn line(task: &Task) -> String {
    let mut text = format!("task {} of {} is {}", task.id, task.whose(), task.state);
    if let Some(Progress { percent, note }) = task.progress.as_ref().filter(|_| !task.state.is_over()) {
        text.push_str(&format!(", {percent}%"));
        if !note.is_empty() {
            text.push_str(&format!(" ({note})"));
        }
    }
    text.push_str(&format!(": {}", task.title()));
    text
}

/// Describes a task with the reason for its state and its result.
pub(super) fn card(task: &Task) -> String {
    let mut text = line(task);
    if !task.why.is_empty() {
        text.push_str(&format!("\nwhy: {}", task.why));
    }
    if task.flagged {
        text.push_str("\na person has to look: it is not known what became of it");
    }
    if let Some(result) = &task.result {
        text.push_str(&format!("\nresult:\n{result}"));
    }
    text
}

/// Returns a task as JSON.
pub(super) fn view(task: &Task) -> Value {
    json!(task)
}
