//! The stored description of an agent: one entry of the registry, a copy of which is kept in the agent's tmux session.
//!
//! Every field is always written, with `null` for a missing value. A field that this version does not write therefore
//! comes from a newer version and is kept (see `store/registry/schema.rs`).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{
    AgentId, AgentName, DEFAULT_SPEC, Exit, GivenParam, GroupId, Status, StatusNote, WaitingFor,
};

/// One agent as the registry stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// Name of the agent.
    pub name: AgentName,
    /// Permanent id of the agent.
    pub id: AgentId,
    /// Free text that lists show beside the name.
    #[serde(default)]
    pub title: Option<String>,
    /// Beginning of the last prompt that the agent accepted, on one line.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Name of the spec that the agent was created from.
    pub spec: String,
    /// Name of the kind that describes its agent CLI.
    pub kind: String,
    /// Program and permanent arguments, without prompt, conversation and hooks.
    pub command: Vec<String>,
    /// Directory in which the agent runs.
    pub working_directory: String,
    /// Top directory of the repository that contains the working directory, or the working directory itself.
    #[serde(default)]
    pub project: Option<String>,
    /// Branch on which the agent works.
    #[serde(default)]
    pub branch: Option<String>,
    /// Time at which the working directory was found to be missing.
    #[serde(default, with = "crate::base::json_time::option")]
    pub directory_gone: Option<Timestamp>,
    /// Kind of workspace in which the agent works.
    #[serde(default)]
    pub workspace: Workspace,
    /// Time at which the agent was created.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Time at which its process was last started.
    #[serde(default, with = "crate::base::json_time::option")]
    pub started_at: Option<Timestamp>,
    /// Time at which a client last attached.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_attached: Option<Timestamp>,
    /// Time at which the last client detached.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_detached: Option<Timestamp>,
    /// Time of the last recorded output.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_activity: Option<Timestamp>,
    /// Current conversation of its agent CLI.
    #[serde(default)]
    pub conversation: Conversation,
    /// Earlier conversations, the latest last.
    #[serde(default)]
    pub conversations: Vec<PastConversation>,
    /// The agent that spawned it.
    #[serde(default)]
    pub parent: Option<AgentName>,
    /// The group of agents that it was started with on one task.
    #[serde(default)]
    pub group: Option<GroupId>,
    /// Whether the agent is removed when its task is done.
    #[serde(default)]
    pub ephemeral: bool,
    /// Restart policy and state.
    #[serde(default)]
    pub restart: Restart,
    /// Times of the automatic restarts within the window that counts.
    #[serde(default, with = "crate::base::json_time::list")]
    pub restarts: Vec<Timestamp>,
    /// Prompt that is queued for the agent on a schedule.
    #[serde(default)]
    pub heartbeat: Option<Heartbeat>,
    /// Parameter values of its spec. This is a list, because unknown keys of an object are kept for a newer version.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// Status at the last observation.
    pub status: StatusNote,
    /// Number of status changes, which is the sequence number of the last change in the ledger.
    #[serde(default)]
    pub changes: u64,
    /// How the process ended, if it did.
    #[serde(default)]
    pub exit: Option<Exit>,
    /// Process id of its first process.
    #[serde(default)]
    pub pid: Option<i32>,
    /// Location in tmux.
    #[serde(default)]
    pub tmux: Option<TmuxLocation>,
    /// Previous name, while a rename has not yet moved the instance directory.
    #[serde(default)]
    pub renamed_from: Option<AgentName>,
    /// Status before the start that is in progress. An interrupted start restores it.
    #[serde(default)]
    pub before_start: Option<StatusNote>,
    /// The turn or dialog that was interrupted when the agent was lost. Cleared when the agent works again.
    #[serde(default)]
    pub cut_off: Option<CutOff>,
}

impl AgentRecord {
    /// Creates the record of an agent that is being started, with the default value of every other field.
    pub fn new(name: AgentName, kind: &str, working_directory: &str, now: Timestamp) -> AgentRecord {
        AgentRecord {
            name,
            id: AgentId::fresh(),
            title: None,
            prompt: None,
            spec: DEFAULT_SPEC.to_owned(),
            kind: kind.to_owned(),
            command: vec![],
            working_directory: working_directory.to_owned(),
            project: None,
            branch: None,
            directory_gone: None,
            workspace: Workspace::default(),
            created_at: now,
            started_at: None,
            last_attached: None,
            last_detached: None,
            last_activity: None,
            conversation: Conversation::default(),
            conversations: vec![],
            parent: None,
            group: None,
            ephemeral: false,
            restart: Restart::default(),
            restarts: vec![],
            heartbeat: None,
            params: vec![],
            status: StatusNote::new(Status::Starting, now, "it was just started"),
            changes: 0,
            exit: None,
            pid: None,
            tmux: None,
            renamed_from: None,
            before_start: None,
            cut_off: None,
        }
    }
}

/// A turn or dialog that ended because the agent's terminal disappeared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// Time at which the loss was noticed.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Status of the agent at the time of the loss.
    pub status: Status,
    /// Reason for waiting at that time.
    #[serde(default)]
    pub waiting_for: Option<WaitingFor>,
    /// Reason of that status.
    #[serde(default)]
    pub reason: String,
}

/// Location of an agent in tmux, recorded when the agent was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TmuxLocation {
    /// Path of the tmux server's socket.
    pub socket: String,
    /// Identity of the tmux server: `start_time:pid`.
    pub server: String,
    /// Name of the session.
    pub session: String,
    /// Id of the pane, for example `%7`.
    pub pane: String,
}

/// The conversation of an agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Id that the agent CLI gave the conversation.
    #[serde(default)]
    pub id: Option<String>,
    /// Name that the user gave the conversation.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether the conversation has received a first prompt and can be resumed.
    #[serde(default)]
    pub begun: bool,
    /// Id of the conversation of another agent that it is a copy of.
    #[serde(default)]
    pub forked_from: Option<String>,
}

/// An earlier conversation that an agent can return to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastConversation {
    /// Id that the agent CLI gave the conversation.
    pub id: String,
    /// Name that the user gave the conversation.
    #[serde(default)]
    pub name: Option<String>,
    /// Time at which the agent left the conversation.
    #[serde(with = "crate::base::json_time")]
    pub left_at: Timestamp,
}

/// Restart policy of an agent and the state of its automatic restarts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    /// Restart policy of the agent.
    #[serde(default)]
    pub policy: RestartPolicy,
    /// Number of automatic restarts so far.
    #[serde(default)]
    pub count: u32,
    /// Time of the next restart, if one is scheduled.
    #[serde(default, with = "crate::base::json_time::option")]
    pub next_at: Option<Timestamp>,
}

/// A prompt that is added to the agent's queue as a task on a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "HeartbeatForm", into = "HeartbeatForm")]
pub struct Heartbeat {
    /// Schedule of the heartbeat.
    pub schedule: Schedule,
    /// Text of the prompt.
    pub prompt: String,
    /// Time at which the heartbeat was last due.
    #[serde(with = "crate::base::json_time::option", default)]
    pub last: Option<Timestamp>,
}

/// Stored form of a heartbeat. It always writes all fields, so that a changed schedule leaves no value of the previous
/// one behind.
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
        let schedule = match (form.every, form.cron) {
            (Some(seconds), None) => Schedule::Every(seconds),
            (None, Some(fields)) => Schedule::Cron(fields),
            _ => return Err("a heartbeat has either `every` or `cron`"),
        };
        Ok(Heartbeat { schedule, prompt: form.prompt, last: form.last })
    }
}

impl From<Heartbeat> for HeartbeatForm {
    fn from(heartbeat: Heartbeat) -> HeartbeatForm {
        let (every, cron) = match heartbeat.schedule {
            Schedule::Every(seconds) => (Some(seconds), None),
            Schedule::Cron(fields) => (None, Some(fields)),
        };
        HeartbeatForm { every, cron, prompt: heartbeat.prompt, last: heartbeat.last }
    }
}

/// Schedule of a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// This many seconds after the last one.
    Every(u64),
    /// At the times of a cron expression with five fields, in local time.
    Cron(String),
}

/// When the supervisor restarts an agent that ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownPolicy, parse_err_fn = UnknownPolicy::new)]
pub enum RestartPolicy {
    /// The agent is never restarted.
    #[default]
    No,
    /// The agent is restarted after a crash.
    OnFailure,
    /// The agent is restarted whenever it ended by itself.
    Always,
}

impl RestartPolicy {
    /// All policies, in the order in which messages list them.
    pub const ALL: [RestartPolicy; 3] = [RestartPolicy::No, RestartPolicy::OnFailure, RestartPolicy::Always];

    /// Returns the name of the policy.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Error for a text that is not a restart policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a restart policy; known: no, on-failure, always")]
pub struct UnknownPolicy(pub String);

impl UnknownPolicy {
    fn new(text: &str) -> UnknownPolicy {
        UnknownPolicy(text.to_owned())
    }
}

/// Kind of workspace in which an agent works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Workspace {
    /// The given directory itself.
    #[default]
    InPlace,
    /// A git worktree and branch for this agent only.
    Worktree,
    /// An empty directory for this agent only.
    Scratch,
}
