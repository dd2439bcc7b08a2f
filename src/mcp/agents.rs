//! The MCP tools for agents: `list_agents`, `show_agent`, `spawn_agent` and `recap`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::context::{self, ToolContext};
use super::tasks;
use super::tool::{Outcome, Said, Tool, ToolEffect};
use crate::cli::{recap_text, status_word};
use crate::error::Error;
use crate::manager::{Body, Lifetime, Peeked, SpawnRequest, Spawned};
use crate::manager::{Lifecycle, Permissions, Recaps, StatusTracker, Terminals};
use crate::model::{Agent, Prompt, Status, Workspace};
use crate::rules::access::permissions::{Act, Place, Relation};
use crate::rules::lifecycle::params;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_agents",
            ToolEffect::Reads,
            "The agents within your reach: yourself, those below you, your project and your parent, each with what it \
             does and the task it is at.",
            list,
        ),
        Tool::new(
            "show_agent",
            ToolEffect::Reads,
            "Everything about one agent, on request with what its screen shows now. Without a name: yourself.",
            show,
        ),
        Tool::new(
            "spawn_agent",
            ToolEffect::Adds,
            "Start a child agent for a part of your work, and give it a task. Returns at once with the child's name \
             and the task's number; `wait_task` gives the result. Without a spec it is like you. Use the workspace \
             `worktree` when it changes files that others work on too.",
            spawn,
        ),
        Tool::new(
            "recap",
            ToolEffect::Reads,
            "What happened to an agent in a span of time: its status, tasks, commits, uncommitted changes and last \
             words. Without a name: yourself.",
            recap,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct List {
    /// Also those that exited or were stopped.
    #[serde(default)]
    all: bool,
}

fn list(desk: &ToolContext, given: List) -> Outcome {
    let manager = desk.manager()?;
    let place = desk.place()?;
    let current_agents = StatusTracker(manager).current_agents()?;
    let has_ended = |agent: &Agent| matches!(agent.status, Status::Exited | Status::Stopped);
    let mut views = Vec::new();
    let mut text = String::new();
    for record in place.those(Act::See) {
        let Some(agent) = current_agents.agents.iter().find(|agent| agent.id == record.id) else { continue };
        if given.all || !has_ended(agent) {
            text.push_str(&line(agent, place.bond(record)));
            views.push(view(agent, place.bond(record)));
        }
    }
    if let Some(silence) = current_agents.silence {
        text.push_str(&format!("tmux did not answer, this may be old: {silence}\n"));
    }
    if text.is_empty() {
        text = "no agents\n".into();
    }
    Ok(Said { text: text.trim_end().to_owned(), data: json!({ "agents": views }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Show {
    /// The agent; you, when it is left out.
    name: Option<String>,
    /// Also what its screen shows now.
    #[serde(default)]
    screen: bool,
}

fn show(desk: &ToolContext, given: Show) -> Outcome {
    let act = if given.screen { Act::Read } else { Act::See };
    let (place, record) = desk.reach(act, given.name.as_deref())?;
    let manager = desk.manager()?;
    let agent = StatusTracker(manager).show(&record.name)?;
    let bond = place.bond(&record);
    let mut text = line(&agent, bond);
    let mut data = view(&agent, bond);
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
    if given.screen {
        let Peeked { text: screen, from, silence, .. } = Terminals(manager).peek(&record.name)?;
        if let Some(silence) = silence {
            return Err(silence);
        }
        text.push_str(&format!("{}:\n{screen}\n", from.word()));
        data["screen"] = screen.into();
    }
    Ok(Said { text: text.trim_end().to_owned(), data })
}

/// What sort of place an agent works in.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "kebab-case")]
enum Where {
    InPlace,
    Worktree,
    Scratch,
}

impl From<Where> for Workspace {
    fn from(place: Where) -> Workspace {
        match place {
            Where::InPlace => Workspace::InPlace,
            Where::Worktree => Workspace::Worktree,
            Where::Scratch => Workspace::Scratch,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Spawn {
    /// What it is to do; without it, it waits for tasks.
    task: Option<String>,
    /// The name of a spec or of a kind (claude, codex, …).
    spec: Option<String>,
    /// What it is to be called: letters, digits, `_` and `-`.
    name: Option<String>,
    /// Free text for people.
    title: Option<String>,
    /// Where it works: `in-place` is the directory as it is, `worktree` a git worktree and branch of its own, `scratch`
    /// an empty folder.
    workspace: Option<Where>,
    /// The directory it works in or branches off from, inside your project; yours, when it is left out.
    dir: Option<PathBuf>,
    /// The branch of its worktree.
    branch: Option<String>,
    /// What its spec takes as parameters.
    #[serde(default)]
    params: BTreeMap<String, String>,
    /// Let it vanish when its task is done; the result stays.
    #[serde(default)]
    ephemeral: bool,
}

fn spawn(desk: &ToolContext, given: Spawn) -> Outcome {
    if let Some(task) = &given.task {
        // The task is validated before an agent is started for it.
        task.parse::<Prompt>().map_err(Error::Unsendable)?;
    }
    let place = desk.place()?;
    let request = SpawnRequest {
        body: Body::Spec(spec(&place, given.spec)?),
        name: given.name.as_deref().map(context::name).transpose()?,
        dir: Permissions(desk.manager()?).path_within_reach(&place, Some(given.dir.unwrap_or_default()))?,
        called_for: given.task.clone(),
        title: given.title,
        workspace: given.workspace.map(Workspace::from),
        branch: given.branch,
        params: given.params.into_iter().collect(),
        lifetime: given.ephemeral.then_some(Lifetime::Task),
        ..SpawnRequest::default()
    };
    let spawned = Lifecycle(desk.manager()?).spawn(request)?;
    begun(desk, spawned, given.task.as_deref())
}

/// Queues the task of a new agent and describes both.
pub(super) fn begun(desk: &ToolContext, spawned: Spawned, task: Option<&str>) -> Outcome {
    let agent = &spawned.agent;
    let mut remarks = [spawned.remarks, spawned.warnings].concat();
    let mut text = format!("agent `{}` was started in {}", agent.name, agent.working_directory);
    if let Some(branch) = &agent.branch {
        text.push_str(&format!(" on branch {branch}"));
    }
    let mut given = Value::Null;
    if let Some(task) = task {
        let task = params::fill(task, &agent.params);
        let added = tasks::give(desk, agent.name.as_str(), task)?;
        text.push_str(&format!(
            "\ntask {0} is on its queue; `wait_task` with id {0} gives the result",
            added.task.id
        ));
        given = tasks::view(&added.task);
        remarks.extend(added.remarks);
    }
    for remark in &remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    let data = json!({ "agent": view(agent, Some(Relation::Below)), "task": given, "remarks": remarks });
    Ok(Said { text, data })
}

/// Returns the requested spec. An agent may only name a spec; a file, which can define what runs, is reserved for the
/// user.
pub(super) fn spec(place: &Place, named: Option<String>) -> Result<Option<String>, Error> {
    let is_path = |text: &str| text.contains('/') || text.starts_with('.') || text.ends_with(".md");
    match (place.me(), named) {
        (Some(me), Some(named)) if is_path(&named) => Err(Error::NotPermitted {
            what: format!("agent `{}` may name a spec, not a file", me.name),
            hint: "`symposium spec list` shows the specs of this project".into(),
        }),
        (_, named) => Ok(named),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct AskRecap {
    /// The agent; you, when it is left out.
    name: Option<String>,
    /// How far back to look, in minutes; since somebody last looked at it, when it is left out.
    #[schemars(range(min = 1, max = 525600))]
    minutes: Option<u32>,
}

fn recap(desk: &ToolContext, given: AskRecap) -> Outcome {
    let (_, record) = desk.reach(Act::Read, given.name.as_deref())?;
    let since = given.minutes.map(|minutes| {
        crate::env::Env::now() - jiff::SignedDuration::from_mins(i64::from(minutes.min(MOST_MINUTES)))
    });
    let recap = Recaps(desk.manager()?).recap(&record.name, since)?;
    Ok(Said { text: recap_text(&recap), data: json!(recap) })
}

/// The number of minutes in a year.
const MOST_MINUTES: u32 = 525_600;

/// Describes an agent in one line.
fn line(agent: &Agent, bond: Option<Relation>) -> String {
    let mut text = format!("{}", agent.name);
    match bond {
        Some(Relation::Itself) => text.push_str(" (you)"),
        Some(bond) => text.push_str(&format!(" ({})", bond.word())),
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
fn view(agent: &Agent, bond: Option<Relation>) -> Value {
    #[derive(Serialize)]
    struct View<'a> {
        bond: Option<&'a str>,
        #[serde(flatten)]
        agent: &'a Agent,
    }
    let mut view = json!(View { bond: bond.map(Relation::word), agent });
    if let Some(view) = view.as_object_mut() {
        for key in ["id", "command", "clients", "tmux", "pid", "conversation", "host", "restart"] {
            view.remove(key);
        }
    }
    view
}
