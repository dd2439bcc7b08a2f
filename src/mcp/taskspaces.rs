//! The MCP tools of older Symposium versions: `spawn_taskspace`, `update_taskspace`, `delete_taskspace` and
//! `log_progress`.

use std::fmt;
use std::path::PathBuf;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{self, ToolContext};
use super::tool::{Outcome, Said, Tool, ToolEffect};
use super::{agents, messages};
use crate::error::Error;
use crate::manager::{Body, Removal, SpawnRequest, TaskspaceUpdate, Writing};
use crate::manager::{Lifecycle, Messages, Permissions, Taskspaces};
use crate::model::{AgentRecord, PERSON, Prompt, Workspace};
use crate::rules::access::permissions::Act;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "spawn_taskspace",
            ToolEffect::Adds,
            "Start a child agent in a git worktree and branch of its own, with a description of what it is for and a \
             first task. Returns at once; `wait_task` gives the result.",
            spawn,
        ),
        Tool::new(
            "update_taskspace",
            ToolEffect::Changes,
            "Say anew what a taskspace is for. Without a name: yours.",
            update,
        ),
        Tool::new(
            "delete_taskspace",
            ToolEffect::Changes,
            "End the agent of a taskspace below you and remove its worktree. Refused while it holds work that is \
             nowhere else. Yours is not deleted: your parent or the person is asked to.",
            delete,
        ),
        Tool::new(
            "log_progress",
            ToolEffect::Adds,
            "Note something in the log of your taskspace, or on the board as `log/NAME` when you have none. A \
             `question` is sent to your parent, or to the person, too.",
            log,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Spawn {
    /// What it is to be called, and its branch: `symposium/NAME`.
    name: String,
    /// What it is for.
    description: String,
    /// Its first task; the description, when it is left out.
    initial_prompt: Option<String>,
    /// The name of a spec or of a kind (claude, codex, …).
    spec: Option<String>,
    /// The branch of its worktree, instead of `symposium/NAME`.
    branch: Option<String>,
}

fn spawn(desk: &ToolContext, given: Spawn) -> Outcome {
    let task = given.initial_prompt.unwrap_or_else(|| given.description.clone());
    // The task is validated before an agent is started for it.
    task.parse::<Prompt>().map_err(Error::Unsendable)?;
    let place = desk.place()?;
    let spawned = Lifecycle(desk.manager()?).spawn(SpawnRequest {
        body: Body::Spec(agents::spec(&place, given.spec)?),
        name: Some(context::name(&given.name)?),
        dir: Permissions(desk.manager()?).path_within_reach(&place, Some(PathBuf::new()))?,
        workspace: Some(Workspace::Worktree),
        taskspace: Some(given.description),
        branch: given.branch,
        ..SpawnRequest::default()
    })?;
    agents::begun(desk, spawned, Some(&task))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Update {
    /// The taskspace; yours, when it is left out.
    name: Option<String>,
    /// A title for lists and the status line.
    title: Option<String>,
    /// What it is for.
    description: Option<String>,
}

fn update(desk: &ToolContext, given: Update) -> Outcome {
    if given.title.is_none() && given.description.is_none() {
        return Err(Error::Usage { what: "neither `title` nor `description` was given".into(), hint: None });
    }
    let (_, record) = desk.reach(Act::Change, given.name.as_deref())?;
    let update = TaskspaceUpdate { title: given.title, description: given.description };
    let taskspace = Taskspaces(desk.manager()?).taskspace_update(&record.name, &update)?;
    let text = format!("taskspace `{}` is for: {}", taskspace.name, taskspace.description);
    Ok(Said { text, data: json!(taskspace) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The taskspace; yours, when it is left out.
    name: Option<String>,
}

fn delete(desk: &ToolContext, given: Delete) -> Outcome {
    let (place, record) = desk.reach(Act::Change, given.name.as_deref())?;
    if place.me().is_some_and(|me| me.id == record.id) {
        // Deleting the caller's own taskspace would end the process that deletes it.
        Taskspaces(desk.manager()?).taskspace(&record.name)?;
        let text =
            format!("I am done with my taskspace; `symposium taskspace delete {}` removes it.", record.name);
        let Said { text, .. } = messages::post(desk, above(&record), text)?;
        let text = format!("an agent does not delete its own taskspace; the request was {text}");
        return Ok(Said { text, data: json!({ "deleted": false, "asked": above(&record) }) });
    }
    Taskspaces(desk.manager()?).taskspace_delete(&record.name, Removal::Careful)?;
    let text = format!("taskspace `{}` is gone", record.name);
    Ok(Said { text, data: json!({ "deleted": true, "name": record.name }) })
}

/// What sort of note it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum Category {
    Info,
    Warn,
    Error,
    Milestone,
    Question,
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Category::Info => "info",
            Category::Warn => "warn",
            Category::Error => "error",
            Category::Milestone => "milestone",
            Category::Question => "question",
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Log {
    /// What is noted.
    message: String,
    /// What sort of note it is; `info`, when it is left out.
    category: Option<Category>,
}

fn log(desk: &ToolContext, given: Log) -> Outcome {
    let place = desk.place()?;
    let Some(me) = place.me() else {
        return Err(Error::Usage {
            what: "only an agent has a log to write to".into(),
            hint: Some("`symposium taskspace log NAME TEXT` writes to a taskspace's".into()),
        });
    };
    let category = given.category.unwrap_or(Category::Info);
    let whither = note(desk, me, &format!("{category}: {}", given.message))?;
    let mut text = format!("noted in {whither}");
    let mut asked = None;
    if category == Category::Question {
        let to = above(me);
        let Said { text: sent, .. } = messages::post(desk, to.clone(), given.message)?;
        text.push_str(&format!("; the question was {sent}"));
        asked = Some(to);
    }
    Ok(Said { text, data: json!({ "noted_in": whither, "asked": asked }) })
}

/// Appends to the notes of an agent and returns where these are.
pub(super) fn note(desk: &ToolContext, me: &AgentRecord, text: &str) -> Result<String, Error> {
    let manager = desk.manager()?;
    if Taskspaces(manager).taskspace(&me.name).is_ok() {
        Taskspaces(manager).taskspace_log(&me.name, text)?;
        return Ok(format!("the log of taskspace {}", me.name));
    }
    let key = format!("log/{}", me.name);
    Messages(manager).board_write(
        None,
        &key,
        (&format!("{} {text}", crate::env::Env::now()), Writing::Append),
        None,
    )?;
    Ok(format!("{key} on the board"))
}

/// Returns the recipient for an agent's reports: its parent, or else the user.
fn above(me: &AgentRecord) -> String {
    if me.parent.is_some() { "parent".to_owned() } else { PERSON.to_owned() }
}
