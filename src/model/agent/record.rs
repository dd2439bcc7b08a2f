//! What we write down about an agent: one entry of the registry, and the copy its tmux session carries.
//!
//! Every field is always written, `null` when there is none, so that a field that is absent from what we write
//! is known to be a newer writer's and is kept (see `store/schema.rs`).

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName, Exit, GivenParam, Status, StatusNote, WaitingFor};

/// One agent as the registry knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// What it is called.
    pub name: AgentName,
    /// What it is, for ever.
    pub id: AgentId,
    /// Free text for people.
    #[serde(default)]
    pub title: Option<String>,
    /// The beginning of the last prompt that it took, on one line.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The spec it was made from.
    pub spec: String,
    /// How its program is driven.
    pub kind: String,
    /// The program and its lasting arguments, without prompt, conversation and hooks.
    pub command: Vec<String>,
    /// Where it runs.
    pub working_directory: String,
    /// The top of the repository around it, or the directory itself.
    #[serde(default)]
    pub project: Option<String>,
    /// The branch it works on.
    #[serde(default)]
    pub branch: Option<String>,
    /// When it was seen that its directory is gone.
    #[serde(default, with = "crate::base::json_time::option")]
    pub directory_gone: Option<Timestamp>,
    /// What sort of place it works in.
    #[serde(default)]
    pub workspace: Workspace,
    /// When it was born.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// When its process was last started.
    #[serde(default, with = "crate::base::json_time::option")]
    pub started_at: Option<Timestamp>,
    /// When somebody last attached to it.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_attached: Option<Timestamp>,
    /// When the last terminal left it.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_detached: Option<Timestamp>,
    /// When it last printed something, as far as we noted it.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_activity: Option<Timestamp>,
    /// The conversation of its agent CLI.
    #[serde(default)]
    pub conversation: Conversation,
    /// Conversations that it was in before, the latest last.
    #[serde(default)]
    pub conversations: Vec<PastConversation>,
    /// The agent that spawned it.
    #[serde(default)]
    pub parent: Option<AgentName>,
    /// Whether it vanishes when its task is done.
    #[serde(default)]
    pub ephemeral: bool,
    /// What happens when it ends by itself.
    #[serde(default)]
    pub restart: Restart,
    /// When it was started again by itself, within the window that counts.
    #[serde(default, with = "crate::base::json_time::list")]
    pub restarts: Vec<Timestamp>,
    /// What it is asked regularly.
    #[serde(default)]
    pub heartbeat: Option<Heartbeat>,
    /// What its spec was given. A list: what stands in an object and is not ours is kept for a newer writer.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// What it did when we last looked.
    pub status: StatusNote,
    /// How often its status has changed: the number of the last change in the ledger.
    #[serde(default)]
    pub changes: u64,
    /// How it ended, when it did.
    #[serde(default)]
    pub exit: Option<Exit>,
    /// Its first process.
    #[serde(default)]
    pub pid: Option<i32>,
    /// Where it is in tmux.
    #[serde(default)]
    pub tmux: Option<TmuxPlace>,
    /// What it was called while its directory had not been moved yet.
    #[serde(default)]
    pub renamed_from: Option<AgentName>,
    /// Status before the start that is under way. An interrupted start goes back to it.
    #[serde(default)]
    pub before_start: Option<StatusNote>,
    /// The turn or dialog that was interrupted when the agent was lost. Cleared when the agent works again.
    #[serde(default)]
    pub cut_off: Option<CutOff>,
}

/// A turn or dialog that ended because the agent's terminal disappeared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// When the loss was noticed.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Status of the agent at that time.
    pub status: Status,
    /// What the agent was waiting for.
    #[serde(default)]
    pub waiting_for: Option<WaitingFor>,
    /// Reason of that status.
    #[serde(default)]
    pub reason: String,
}

/// Where an agent is in tmux, as remembered at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TmuxPlace {
    /// The path of the server's socket.
    pub socket: String,
    /// Which server it was: `start_time:pid`.
    pub server: String,
    /// The session's name.
    pub session: String,
    /// The pane's id, `%7`.
    pub pane: String,
}

/// The conversation of an agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The CLI's own id of it.
    #[serde(default)]
    pub id: Option<String>,
    /// What people call it.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether it has had a first prompt, so that there is something to resume.
    #[serde(default)]
    pub begun: bool,
}

/// A conversation that an agent can go back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastConversation {
    /// The CLI's own id of it.
    pub id: String,
    /// What people call it.
    #[serde(default)]
    pub name: Option<String>,
    /// When the agent left it.
    #[serde(with = "crate::base::json_time")]
    pub left_at: Timestamp,
}

/// What happens when an agent ends by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    /// When to start it again.
    #[serde(default)]
    pub policy: RestartPolicy,
    /// How often that was done.
    #[serde(default)]
    pub count: u32,
    /// When it is due next.
    #[serde(default, with = "crate::base::json_time::option")]
    pub next_at: Option<Timestamp>,
}

/// What an agent is asked regularly: a task that is put on its queue when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "HeartbeatForm", into = "HeartbeatForm")]
pub struct Heartbeat {
    /// When.
    pub rhythm: Rhythm,
    /// What it is asked.
    pub prompt: String,
    /// When it was last due.
    pub last: Option<Timestamp>,
}

/// A heartbeat as it is written: every field, so that another rhythm leaves nothing of the former one behind.
#[derive(Serialize, Deserialize)]
struct HeartbeatForm {
    #[serde(default)]
    every: Option<u64>,
    #[serde(default)]
    cron: Option<String>,
    prompt: String,
    #[serde(default, with = "crate::base::json_time::option")]
    last: Option<Timestamp>,
}

impl TryFrom<HeartbeatForm> for Heartbeat {
    type Error = &'static str;

    fn try_from(form: HeartbeatForm) -> Result<Self, &'static str> {
        let rhythm = match (form.every, form.cron) {
            (Some(seconds), None) => Rhythm::Every(seconds),
            (None, Some(fields)) => Rhythm::Cron(fields),
            _ => return Err("a heartbeat has either `every` or `cron`"),
        };
        Ok(Heartbeat { rhythm, prompt: form.prompt, last: form.last })
    }
}

impl From<Heartbeat> for HeartbeatForm {
    fn from(beat: Heartbeat) -> HeartbeatForm {
        let (every, cron) = match beat.rhythm {
            Rhythm::Every(seconds) => (Some(seconds), None),
            Rhythm::Cron(fields) => (None, Some(fields)),
        };
        HeartbeatForm { every, cron, prompt: beat.prompt, last: beat.last }
    }
}

/// When a heartbeat is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rhythm {
    /// So many seconds after the last one.
    Every(u64),
    /// At these times, as five fields of cron in local time.
    Cron(String),
}

/// When an agent that ended is started again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestartPolicy {
    /// Never.
    #[default]
    No,
    /// When it crashed.
    OnFailure,
    /// Whenever it ended by itself.
    Always,
}

impl RestartPolicy {
    /// Every policy.
    pub const ALL: [RestartPolicy; 3] = [RestartPolicy::No, RestartPolicy::OnFailure, RestartPolicy::Always];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            RestartPolicy::No => "no",
            RestartPolicy::OnFailure => "on-failure",
            RestartPolicy::Always => "always",
        }
    }
}

impl fmt::Display for RestartPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A text that is none of the policies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a restart policy; known: no, on-failure, always")]
pub struct UnknownPolicy(pub String);

impl FromStr for RestartPolicy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        RestartPolicy::ALL
            .into_iter()
            .find(|p| p.word() == text)
            .ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

/// What sort of place an agent works in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workspace {
    /// The directory as it is.
    #[default]
    InPlace,
    /// A git worktree and branch of its own.
    Worktree,
    /// An empty folder of its own.
    Scratch,
}

impl fmt::Display for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Workspace::InPlace => "in-place",
            Workspace::Worktree => "worktree",
            Workspace::Scratch => "scratch",
        })
    }
}
