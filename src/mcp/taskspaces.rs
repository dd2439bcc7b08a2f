//! The MCP tools of older Symposium versions: `spawn_taskspace`, `update_taskspace`, `delete_taskspace` and
//! `log_progress`.

use std::path::PathBuf;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{self, ToolContext};
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use super::{agents, messages};
use crate::error::Error;
use crate::manager::{Messages, Permissions, Spawning, Taskspaces};
use crate::manager::{NoteWrite, Removal, SpawnRequest, SpawnTarget, TaskspaceUpdate};
use crate::model::{AgentRecord, PERSON, Prompt, Workspace};
use crate::rules::access::permissions::Action;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "spawn_taskspace",
            ToolEffect::Adds,
            "Start a child agent in its own git worktree and branch, with a description of its purpose and a \
             first task. Returns immediately; `wait_task` returns the result.",
            spawn,
        ),
        Tool::new(
            "update_taskspace",
            ToolEffect::Changes,
            "Change the description or the title of a taskspace. The default is your own taskspace.",
            update,
        ),
        Tool::new(
            "delete_taskspace",
            ToolEffect::Changes,
            "End the agent of a taskspace below you and remove its worktree. Fails if the worktree holds work \
             that exists nowhere else. You cannot delete your own taskspace: the tool asks your parent or the \
             user to delete it.",
            delete,
        ),
        Tool::new(
            "log_progress",
            ToolEffect::Adds,
            "Add a note to the log of your taskspace or, if you have none, to the board as `log/NAME`. A \
             `question` is also sent to your parent or to the user.",
            log,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct SpawnTaskspaceParams {
    /// Name of the new agent; its branch is `symposium/NAME`.
    name: String,
    /// Purpose of the taskspace.
    description: String,
    /// First task. The default is the description.
    initial_prompt: Option<String>,
    /// Name of a spec or of a kind (claude, codex, …).
    spec: Option<String>,
    /// Branch of its worktree. The default is `symposium/NAME`.
    branch: Option<String>,
}

fn spawn(context: &ToolContext, input: SpawnTaskspaceParams) -> ToolOutcome {
    let task = input.initial_prompt.unwrap_or_else(|| input.description.clone());
    // The task is validated before an agent is started for it.
    task.parse::<Prompt>().map_err(Error::unsendable)?;
    let permissions = context.permissions()?;
    let spawned = Spawning(context.manager()?).spawn(SpawnRequest {
        body: SpawnTarget::Spec(agents::spec(&permissions, input.spec)?),
        name: Some(context::name(&input.name)?),
        dir: Permissions(context.manager()?).path_within_reach(&permissions, Some(PathBuf::new()))?,
        workspace: Some(Workspace::Worktree),
        taskspace: Some(input.description),
        branch: input.branch,
        ..SpawnRequest::default()
    })?;
    agents::begun(context, spawned, Some(&task))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct UpdateTaskspaceParams {
    /// Name of the taskspace. The default is your own.
    name: Option<String>,
    /// Title that lists and the status line show.
    title: Option<String>,
    /// Purpose of the taskspace.
    description: Option<String>,
}

fn update(context: &ToolContext, input: UpdateTaskspaceParams) -> ToolOutcome {
    if input.title.is_none() && input.description.is_none() {
        return Err(Error::usage("`title` or `description` is required"));
    }
    let (_, record) = context.reach(Action::Change, input.name.as_deref())?;
    let update = TaskspaceUpdate { title: input.title, description: input.description };
    let taskspace = Taskspaces(context.manager()?).taskspace_update(&record.name, &update)?;
    let text = format!("taskspace `{}` is for: {}", taskspace.name, taskspace.description);
    Ok(ToolResult { text, data: json!(taskspace) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct DeleteTaskspaceParams {
    /// Name of the taskspace. The default is your own.
    name: Option<String>,
}

fn delete(context: &ToolContext, input: DeleteTaskspaceParams) -> ToolOutcome {
    let (permissions, record) = context.reach(Action::Change, input.name.as_deref())?;
    if permissions.calling_agent().is_some_and(|me| me.id == record.id) {
        // Deleting the caller's own taskspace would end the process that deletes it.
        Taskspaces(context.manager()?).taskspace(&record.name)?;
        let text =
            format!("I am done with my taskspace; `symposium taskspace delete {}` removes it.", record.name);
        let ToolResult { text, .. } = messages::post(context, above(&record), text)?;
        let text = format!("an agent does not delete its own taskspace; the request was {text}");
        return Ok(ToolResult { text, data: json!({ "deleted": false, "asked": above(&record) }) });
    }
    Taskspaces(context.manager()?).taskspace_delete(&record.name, Removal::Careful)?;
    let text = format!("taskspace `{}` was removed", record.name);
    Ok(ToolResult { text, data: json!({ "deleted": true, "name": record.name }) })
}

/// The category of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
enum NoteCategory {
    Info,
    Warn,
    Error,
    Milestone,
    Question,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct LogProgressParams {
    /// Text of the note.
    message: String,
    /// Category of the note. The default is `info`.
    category: Option<NoteCategory>,
}

fn log(context: &ToolContext, input: LogProgressParams) -> ToolOutcome {
    let permissions = context.permissions()?;
    let Some(me) = permissions.calling_agent() else {
        return Err(Error::usage("only an agent has a taskspace log")
            .hint("`symposium taskspace log NAME TEXT` writes to the log of a taskspace"));
    };
    let category = input.category.unwrap_or(NoteCategory::Info);
    let location = note(context, me, &format!("{category}: {}", input.message))?;
    let mut text = format!("noted in {location}");
    let mut recipient = None;
    if category == NoteCategory::Question {
        let to = above(me);
        let ToolResult { text: sent, .. } = messages::post(context, to.clone(), input.message)?;
        text.push_str(&format!("; the question was {sent}"));
        recipient = Some(to);
    }
    Ok(ToolResult { text, data: json!({ "noted_in": location, "asked": recipient }) })
}

/// Appends to the notes of an agent and returns where these are.
pub(super) fn note(context: &ToolContext, me: &AgentRecord, text: &str) -> Result<String, Error> {
    let manager = context.manager()?;
    if Taskspaces(manager).taskspace(&me.name).is_ok() {
        Taskspaces(manager).taskspace_log(&me.name, text)?;
        return Ok(format!("the log of taskspace {}", me.name));
    }
    let key = format!("log/{}", me.name);
    Messages(manager).board_write(
        None,
        &key,
        (&format!("{} {text}", manager.now()), NoteWrite::Append),
        None,
    )?;
    Ok(format!("{key} on the board"))
}

/// Returns the recipient for an agent's reports: its parent, or else the user.
fn above(me: &AgentRecord) -> String {
    if me.parent.is_some() { "parent".to_owned() } else { PERSON.to_owned() }
}
