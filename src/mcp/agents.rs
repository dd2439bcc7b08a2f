//! The MCP tools for agents: `list_agents`, `show_agent`, `spawn_agent` and `recap`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::context::{self, ToolContext};
use super::tasks;
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use crate::error::Error;
use crate::manager::{AgentLookup, AgentScreens, Permissions, Recaps, Spawning, StatusTracker};
use crate::manager::{Lifetime, Peeked, SpawnRequest, SpawnTarget, Spawned};
use crate::model::{Agent, Prompt, Status, Workspace};
use crate::rules::access::permissions::{Action, PermissionTable, Relation};
use crate::rules::specs::params;
use crate::text::agent::status_word;
use crate::text::recap::recap_text;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_agents",
            ToolEffect::Reads,
            "List the agents that you can reach: yourself, your descendants, the agents of your project and your \
             parent, each with its status and current task.",
            list,
        ),
        Tool::new(
            "show_agent",
            ToolEffect::Reads,
            "Show one agent in detail, optionally with the current content of its screen. The default is \
             yourself.",
            show,
        ),
        Tool::new(
            "spawn_agent",
            ToolEffect::Adds,
            "Start a child agent for part of your work and give it a task. Returns immediately with the child's \
             name and the task number; `wait_task` returns the result. Without a spec, the child gets your own \
             settings. Use the workspace `worktree` if the child changes files that other agents work on.",
            spawn,
        ),
        Tool::new(
            "recap",
            ToolEffect::Reads,
            "Summarize what happened to an agent in a period: status, tasks, commits, uncommitted changes and \
             last reply. The default is yourself.",
            recap,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ListAgentsParams {
    /// Include agents that exited or were stopped.
    #[serde(default)]
    all: bool,
}

fn list(context: &ToolContext, input: ListAgentsParams) -> ToolOutcome {
    let manager = context.manager()?;
    let permissions = context.permissions()?;
    let current_agents = StatusTracker(manager).current_agents()?;
    let has_ended = |agent: &Agent| matches!(agent.status, Status::Exited | Status::Stopped);
    let mut views = Vec::new();
    let mut text = String::new();
    for record in permissions.agents_allowed(Action::See) {
        let Some(agent) = current_agents.agents.iter().find(|agent| agent.id == record.id) else { continue };
        if input.all || !has_ended(agent) {
            text.push_str(&line(agent, permissions.relation(record)));
            views.push(view(agent, permissions.relation(record)));
        }
    }
    if let Some(silence) = current_agents.silence {
        text.push_str(&format!("tmux did not answer, this may be old: {silence}\n"));
    }
    if text.is_empty() {
        text = "no agents\n".into();
    }
    Ok(ToolResult { text: text.trim_end().to_owned(), data: json!({ "agents": views }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ShowAgentParams {
    /// Name of the agent. The default is yourself.
    name: Option<String>,
    /// Include the current content of its screen.
    #[serde(default)]
    screen: bool,
}

fn show(context: &ToolContext, input: ShowAgentParams) -> ToolOutcome {
    let act = if input.screen { Action::Read } else { Action::See };
    let (permissions, record) = context.reach(act, input.name.as_deref())?;
    let manager = context.manager()?;
    let agent = AgentLookup(manager).show(&record.name)?;
    let relation = permissions.relation(&record);
    let mut text = line(&agent, relation);
    let mut data = view(&agent, relation);
    let facts = [
        ("title", agent.title.clone()),
        ("kind", Some(agent.kind.clone())),
        ("directory", Some(agent.working_directory.clone())),
        ("branch", agent.branch.clone()),
        ("parent", agent.parent.as_ref().map(ToString::to_string)),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            text.push_str(&format!("{key}: {value}\n"));
        }
    }
    if input.screen {
        let Peeked { text: screen, from, silence, .. } = AgentScreens(manager).peek(&record.name)?;
        if let Some(silence) = silence {
            return Err(silence);
        }
        text.push_str(&format!("{}:\n{screen}\n", from.word()));
        data["screen"] = screen.into();
    }
    Ok(ToolResult { text: text.trim_end().to_owned(), data })
}

/// The kind of workspace.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "kebab-case")]
enum WorkspaceParam {
    InPlace,
    Worktree,
    Scratch,
}

impl From<WorkspaceParam> for Workspace {
    fn from(permissions: WorkspaceParam) -> Workspace {
        match permissions {
            WorkspaceParam::InPlace => Workspace::InPlace,
            WorkspaceParam::Worktree => Workspace::Worktree,
            WorkspaceParam::Scratch => Workspace::Scratch,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct SpawnAgentParams {
    /// First task. Without it, the agent waits for tasks.
    task: Option<String>,
    /// Name of a spec or of a kind (claude, codex, …).
    spec: Option<String>,
    /// Name of the new agent: letters, digits, `_` and `-`.
    name: Option<String>,
    /// Title that is shown to users.
    title: Option<String>,
    /// Workspace of the agent: `in-place` uses the directory itself, `worktree` its own git worktree and branch,
    /// `scratch` an empty directory.
    workspace: Option<WorkspaceParam>,
    /// Directory inside your project in which the agent works, or from which its worktree is created. The default is
    /// your directory.
    dir: Option<PathBuf>,
    /// Branch of its worktree.
    branch: Option<String>,
    /// Parameters of its spec.
    #[serde(default)]
    params: BTreeMap<String, String>,
    /// Remove the agent when its task is done. The result is kept.
    #[serde(default)]
    ephemeral: bool,
}

fn spawn(context: &ToolContext, input: SpawnAgentParams) -> ToolOutcome {
    if let Some(task) = &input.task {
        // The task is validated before an agent is started for it.
        task.parse::<Prompt>().map_err(Error::unsendable)?;
    }
    let permissions = context.permissions()?;
    let request = SpawnRequest {
        body: SpawnTarget::Spec(spec(&permissions, input.spec)?),
        name: input.name.as_deref().map(context::name).transpose()?,
        dir: Permissions(context.manager()?)
            .path_within_reach(&permissions, Some(input.dir.unwrap_or_default()))?,
        called_for: input.task.clone(),
        title: input.title,
        workspace: input.workspace.map(Workspace::from),
        branch: input.branch,
        params: input.params.into_iter().collect(),
        lifetime: input.ephemeral.then_some(Lifetime::Task),
        ..SpawnRequest::default()
    };
    let spawned = Spawning(context.manager()?).spawn(request)?;
    begun(context, spawned, input.task.as_deref())
}

/// Queues the task of a new agent and describes both.
pub(super) fn begun(context: &ToolContext, spawned: Spawned, task: Option<&str>) -> ToolOutcome {
    let agent = &spawned.agent;
    let mut remarks = [spawned.remarks, spawned.warnings].concat();
    let mut text = format!("agent `{}` was started in {}", agent.name, agent.working_directory);
    if let Some(branch) = &agent.branch {
        text.push_str(&format!(" on branch {branch}"));
    }
    let mut input = Value::Null;
    if let Some(task) = task {
        let task = params::fill(task, &agent.params);
        let added = tasks::give(context, agent.name.as_str(), task)?;
        text.push_str(&format!(
            "\ntask {0} is on its queue; `wait_task` with id {0} gives the result",
            added.task.id
        ));
        input = tasks::view(&added.task);
        remarks.extend(added.remarks);
    }
    for remark in &remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    let data = json!({ "agent": view(agent, Some(Relation::Below)), "task": input, "remarks": remarks });
    Ok(ToolResult { text, data })
}

/// Returns the requested spec. An agent may only name a spec; a file, which can define what runs, is reserved for the
/// user.
pub(super) fn spec(permissions: &PermissionTable, named: Option<String>) -> Result<Option<String>, Error> {
    let is_path = |text: &str| text.contains('/') || text.starts_with('.') || text.ends_with(".md");
    match (permissions.calling_agent(), named) {
        (Some(me), Some(named)) if is_path(&named) => {
            Err(Error::not_permitted(format!("agent `{}` may name a spec, not a file", me.name))
                .hint("`symposium spec list` shows the specs of this project"))
        }
        (_, named) => Ok(named),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct RecapParams {
    /// Name of the agent. The default is yourself.
    name: Option<String>,
    /// Length of the period in minutes. The default is the time since a user last viewed the agent.
    #[schemars(range(min = 1, max = 525600))]
    minutes: Option<u32>,
}

fn recap(context: &ToolContext, input: RecapParams) -> ToolOutcome {
    let (_, record) = context.reach(Action::Read, input.name.as_deref())?;
    let now = context.manager()?.now();
    let since = input
        .minutes
        .map(|minutes| now - jiff::SignedDuration::from_mins(i64::from(minutes.min(MAX_MINUTES))));
    let recap = Recaps(context.manager()?).recap(&record.name, since)?;
    Ok(ToolResult { text: recap_text(&recap), data: json!(recap) })
}

/// The number of minutes in a year.
const MAX_MINUTES: u32 = 525_600;

/// Describes an agent in one line.
fn line(agent: &Agent, relation: Option<Relation>) -> String {
    let mut text = format!("{}", agent.name);
    match relation {
        Some(Relation::Itself) => text.push_str(" (you)"),
        Some(relation) => text.push_str(&format!(" ({})", relation.word())),
        None => {}
    }
    text.push_str(&format!(": {}, {}, spec {}", status_word(agent), agent.reason, agent.spec));
    if let Some(task) = &agent.task {
        text.push_str(&format!(", at task {}: {}", task.id, task.title));
    }
    if agent.tasks.queued > 0 {
        text.push_str(&format!(", {} queued", agent.tasks.queued));
    }
    text.push('\n');
    text
}

/// Returns the fields of an agent that are useful to a model, without its id, command line, clients and tmux
/// location.
fn view(agent: &Agent, relation: Option<Relation>) -> Value {
    #[derive(Serialize)]
    struct RelatedAgent<'a> {
        /// The name of the field is a public contract.
        #[serde(rename = "bond")]
        relation: Option<&'a str>,
        #[serde(flatten)]
        agent: &'a Agent,
    }
    let mut view = json!(RelatedAgent { relation: relation.map(Relation::word), agent });
    if let Some(view) = view.as_object_mut() {
        for key in ["id", "command", "clients", "tmux", "pid", "conversation", "host", "restart"] {
            view.remove(key);
        }
    }
    view
}
