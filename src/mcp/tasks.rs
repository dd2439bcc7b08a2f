//! The MCP tools for tasks: `add_task`, `task_status`, `wait_task` (see `wait.rs`), `report_progress` and
//! `complete_task`.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::ToolContext;
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use super::{agents, context, wait};
use crate::error::Error;
use crate::manager::{Permissions, Tasks};
use crate::manager::{TaskAdded, TaskFilter, TaskRequest};
use crate::model::{self, Task, TaskId, TaskProgress, TaskState};
use crate::rules::access::permissions::{Action, PermissionTable};

/// Maximum number of tasks in a list. More would not be useful to a model.
const MAX_LISTED: usize = 50;
/// Prefix of a spec whose agents may all take the task.
const ANY: &str = "any:";

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "add_task",
            ToolEffect::Adds,
            "Add a task to the queue of an agent. The task is typed in when the agent is idle, one task at a \
             time, in order of priority and age. `wait_task` returns the result.",
            add,
        ),
        Tool::new(
            "task_status",
            ToolEffect::Reads,
            "Show one task with its history. Without a number, list the open tasks of the agents that you can \
             reach and the tasks that you added.",
            status,
        ),
        Tool::waiting::<wait::WaitTaskParams>(
            "wait_task",
            "Wait until a task ends and return its result. If the time limit is reached first, or if the task's \
             agent waits for an answer, the result says so; call the tool again afterwards. Several waits can run \
             at the same time.",
        ),
        Tool::new(
            "report_progress",
            ToolEffect::Adds,
            "Report the progress of your task. Callers that wait for the task receive it.",
            progress,
        ),
        Tool::new(
            "complete_task",
            ToolEffect::Adds,
            "End your task with its result, or mark it as failed with the reason. The result is sent to the agent \
             or user that added the task, so include everything they need.",
            complete,
        ),
    ]
}

/// The priority of a task.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum PriorityParam {
    Critical,
    High,
    Normal,
    Low,
    Idle,
}

impl From<PriorityParam> for model::Priority {
    fn from(priority: PriorityParam) -> model::Priority {
        match priority {
            PriorityParam::Critical => model::Priority::Critical,
            PriorityParam::High => model::Priority::High,
            PriorityParam::Normal => model::Priority::Normal,
            PriorityParam::Low => model::Priority::Low,
            PriorityParam::Idle => model::Priority::Idle,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct AddTaskParams {
    /// Name of an agent; a spec, from which a new agent is started; or `any:SPEC` for the first idle agent of that
    /// spec.
    agent: String,
    /// Text of the task.
    text: String,
    /// Priority of the task. The default is `normal`.
    priority: Option<PriorityParam>,
    /// Numbers of the tasks that must be done first.
    #[serde(default)]
    after: Vec<i64>,
    /// File of your project whose content is added to the task.
    topic: Option<PathBuf>,
    /// Time limit of the task in seconds.
    #[schemars(range(min = 1))]
    timeout_s: Option<u32>,
    /// Number of retries if the task fails.
    #[serde(default)]
    retries: u32,
}

fn add(context: &ToolContext, input: AddTaskParams) -> ToolOutcome {
    let permissions = context.permissions()?;
    check_assignee(context, &permissions, &input.agent)?;
    for id in &input.after {
        Permissions(context.manager()?).task_within_reach(&permissions, Action::See, TaskId(*id))?;
    }
    let added = Tasks(context.manager()?).task_add(TaskRequest {
        to: agents::spec(&permissions, Some(input.agent))?.unwrap_or_default(),
        text: input.text,
        priority: input.priority.map_or(model::Priority::Normal, model::Priority::from),
        after: input.after.into_iter().map(TaskId).collect(),
        topic: Permissions(context.manager()?).path_within_reach(&permissions, input.topic)?,
        timeout: input.timeout_s.map(|seconds| Duration::from_secs(u64::from(seconds))),
        retries: input.retries,
        dir: Permissions(context.manager()?).path_within_reach(&permissions, Some(PathBuf::new()))?,
        by: None,
    })?;
    let mut text = format!("task {} is on the queue of {}", added.task.id, added.task.assignee_name());
    if let Some(spawned) = &added.spawned {
        text.push_str(&format!(", which was started for it: `{spawned}`"));
    }
    for remark in &added.remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    let data = json!({ "task": view(&added.task), "spawned": added.spawned, "remarks": added.remarks });
    Ok(ToolResult { text, data })
}

/// Rejects agents outside of the caller's permissions, and queues from which such agents take tasks.
fn check_assignee(context: &ToolContext, permissions: &PermissionTable, to: &str) -> Result<(), Error> {
    if let Some(spec) = to.strip_prefix(ANY) {
        return match (permissions.allows_pool(spec), permissions.calling_agent()) {
            (true, _) | (_, None) => Ok(()),
            (false, Some(me)) => Err(Error::not_permitted(format!(
                "agent `{}` may not give tasks to every agent of `{spec}`",
                me.name
            ))
            .hint("name an agent; `list_agents` returns the agents within reach")),
        };
    }
    match to.parse().ok().filter(|name| permissions.find(name).is_some()) {
        Some(name) => {
            Permissions(context.manager()?).within_reach(permissions, Action::Task, &name).map(drop)
        }
        // The name of a spec: an agent that is started for it becomes a child of the caller.
        None => Ok(()),
    }
}

/// Queues the task of an agent that was just started.
pub(super) fn give(context: &ToolContext, to: &str, text: String) -> Result<TaskAdded, Error> {
    Tasks(context.manager()?).task_add(TaskRequest { to: to.to_owned(), text, ..TaskRequest::default() })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct TaskStatusParams {
    /// Number of the task.
    id: Option<i64>,
    /// List only the tasks of this agent. Ignored with a number.
    agent: Option<String>,
    /// Include the most recent tasks that have ended. Ignored with a number.
    #[serde(default)]
    all: bool,
}

fn status(context: &ToolContext, input: TaskStatusParams) -> ToolOutcome {
    let permissions = context.permissions()?;
    let manager = context.manager()?;
    if let Some(id) = input.id {
        Permissions(manager).task_within_reach(&permissions, Action::See, TaskId(id))?;
        let shown = Tasks(manager).task_show(TaskId(id))?;
        let mut text = card(&shown.view.task);
        if let Some(waits_for) = &shown.view.waits_for {
            text.push_str(&format!("\nwaits: {waits_for}"));
        }
        return Ok(ToolResult { text, data: json!(shown) });
    }
    let agent = input.agent.as_deref().map(context::name).transpose()?;
    let states = if input.all { TaskState::ALL.to_vec() } else { TaskState::OPEN.to_vec() };
    let mut tasks = Tasks(manager).task_list(&TaskFilter { agent, states, newest: None, since: None })?;
    tasks.retain(|task| permissions.allows_about(Action::See, task));
    let left_out = tasks.len().saturating_sub(MAX_LISTED);
    tasks.drain(..left_out);
    let mut text: String = tasks.iter().map(|task| line(task) + "\n").collect();
    if left_out > 0 {
        text.push_str(&format!("{left_out} older ones are left out\n"));
    }
    if text.is_empty() {
        text = "no tasks\n".into();
    }
    let views: Vec<Value> = tasks.iter().map(view).collect();
    Ok(ToolResult { text: text.trim_end().to_owned(), data: json!({ "tasks": views, "left_out": left_out }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ReportProgressParams {
    /// Progress in percent.
    #[schemars(range(max = 100))]
    percent: u8,
    /// Short description of the progress.
    #[serde(default)]
    note: String,
    /// Number of the task. The default is your current task.
    id: Option<i64>,
}

fn progress(context: &ToolContext, input: ReportProgressParams) -> ToolOutcome {
    if input.percent > 100 {
        return Err(Error::usage("`percent` is at most 100"));
    }
    let task = reported_task(context, input.id)?;
    let progress = TaskProgress { percent: input.percent, note: input.note };
    let task = Tasks(context.manager()?).task_progress(task.id, &progress)?;
    Ok(ToolResult { text: line(&task), data: json!({ "task": view(&task) }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct CompleteTaskParams {
    /// Result of the task, or the reason for its failure.
    result: String,
    /// Mark the task as failed.
    #[serde(default)]
    failed: bool,
    /// Number of the task. The default is your current task.
    id: Option<i64>,
}

fn complete(context: &ToolContext, input: CompleteTaskParams) -> ToolOutcome {
    let task = reported_task(context, input.id)?;
    let manager = context.manager()?;
    let task = match input.failed {
        true => Tasks(manager).task_fail(task.id, &input.result)?,
        false => Tasks(manager).task_done(task.id, Some(&input.result))?,
    };
    Ok(ToolResult { text: line(&task), data: json!({ "task": view(&task) }) })
}

/// Returns the task to report on: the named one, or else the current task of the caller.
fn reported_task(context: &ToolContext, id: Option<i64>) -> Result<Task, Error> {
    let permissions = context.permissions()?;
    let manager = context.manager()?;
    match (id, permissions.calling_agent()) {
        (Some(id), _) => Permissions(manager).task_within_reach(&permissions, Action::Report, TaskId(id)),
        (None, Some(me)) => Permissions(manager).task_at_hand(me),
        (None, None) => Err(Error::usage("`id` is required: the caller is not an agent")
            .hint("`task_status` returns the numbers")),
    }
}

/// Describes a task in one line.
pub(super) fn line(task: &Task) -> String {
    let mut text = format!("task {} of {} is {}", task.id, task.assignee_name(), task.state);
    if let Some(TaskProgress { percent, note }) = task.progress.as_ref().filter(|_| !task.state.is_over()) {
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
        text.push_str("\nits outcome is unknown, and a user has to check it");
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
