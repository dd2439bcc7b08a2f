//! An agent as all faces show it: its record joined with its live pane. `agent list --json` prints this type.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{
    AgentId, AgentName, AskedQuestion, Conversation, CutOff, Exit, FailedTurn, GivenParam, Restart, Share,
    Status, Task, TaskId, TaskProgress, WaitingFor, Workspace,
};

/// One agent: record and live pane. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// Name of the agent.
    pub name: AgentName,
    /// Permanent id of the agent.
    pub id: AgentId,
    /// Free text that lists show beside the name.
    pub title: Option<String>,
    /// Beginning of the last prompt that the agent accepted, on one line.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Name of the spec that the agent was created from.
    pub spec: String,
    /// Name of the kind that describes its agent CLI.
    pub kind: String,
    /// Current status of the agent.
    pub status: Status,
    /// Reason for waiting; `None` unless the status is `waiting`.
    pub waiting_for: Option<WaitingFor>,
    /// Time since which the status holds.
    #[serde(with = "crate::base::json_time")]
    pub status_since: Timestamp,
    /// Explanation of the status.
    pub reason: String,
    /// Question that a waiting agent asks; the reason is the beginning of it.
    #[serde(default)]
    pub question: Option<AskedQuestion>,
    /// Failed turn that the status is about; `null` after a successful turn.
    #[serde(default)]
    pub failure: Option<FailedTurn>,
    /// How the process ended, if it did.
    pub exit: Option<Exit>,
    /// Directory in which the agent runs.
    pub working_directory: String,
    /// Project that contains the working directory.
    pub project: Option<String>,
    /// Branch on which the agent works.
    pub branch: Option<String>,
    /// Time at which the working directory was found to be missing.
    #[serde(default, with = "crate::base::json_time::option")]
    pub directory_gone: Option<Timestamp>,
    /// Kind of workspace in which the agent works.
    pub workspace: Workspace,
    /// Program and permanent arguments.
    pub command: Vec<String>,
    /// Process id of its first process, while it runs.
    pub pid: Option<i32>,
    /// Location in tmux, while the agent has a pane.
    pub tmux: Option<TmuxView>,
    /// Time at which the agent was created.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Time of the last output.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_activity: Option<Timestamp>,
    /// Time at which a client last attached.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_attached: Option<Timestamp>,
    /// Clients that are attached.
    pub clients: Vec<AgentClient>,
    /// Other users of the machine with whom the agent is shared. Only JSON output has them.
    #[serde(default)]
    pub shares: Vec<Share>,
    /// Current conversation of its agent CLI.
    pub conversation: Conversation,
    /// The agent that spawned it.
    pub parent: Option<AgentName>,
    /// Whether the agent is removed when its task is done.
    pub ephemeral: bool,
    /// Parameter values of its spec.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// Restart policy and state.
    pub restart: Restart,
    /// Number of tasks on its queue, by state.
    pub tasks: TaskCounts,
    /// Task that the agent works on.
    pub task: Option<CurrentTask>,
    /// Host on which the agent runs, if it is another machine.
    pub host: Option<String>,
    /// Turn or dialog that was interrupted when the agent was lost; absent once the agent works again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
}

/// Location of an agent in tmux.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TmuxView {
    /// Path of the tmux server's socket.
    pub socket: String,
    /// Name of the session.
    pub session: String,
    /// Id of the pane.
    pub pane: String,
}

/// An attached client. Another host may report fewer of its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentClient {
    /// Unix user of the client.
    pub user: Option<String>,
    /// Path of the client's terminal.
    pub tty: String,
    /// Whether the client may only watch.
    pub observer: bool,
    /// Whether the client is the driver; no client is if all attached clients may type.
    pub driver: bool,
    /// Whether the client belongs to another user with whom the agent is shared.
    pub guest: bool,
    /// Time at which the client attached.
    #[serde(with = "crate::base::json_time::option")]
    pub since: Option<Timestamp>,
    /// Address that the client connected from over SSH.
    pub from: Option<String>,
    /// Process id of the tmux client.
    pub pid: Option<i32>,
    /// Whether the client has the keyboard focus. A terminal that does not report focus counts as focused.
    pub focused: bool,
}

/// The task that an agent works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentTask {
    /// Number of the task.
    pub id: TaskId,
    /// First line of the task.
    pub title: String,
    /// Progress that the agent reported, if any.
    pub progress: Option<TaskProgress>,
}

impl CurrentTask {
    /// Creates the view of a running task.
    pub fn of(task: &Task) -> CurrentTask {
        CurrentTask { id: task.id, title: task.title(), progress: task.progress.clone() }
    }
}

/// Number of tasks on a queue, by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCounts {
    /// Tasks that have not started.
    pub queued: u32,
    /// Tasks that an agent works on.
    pub running: u32,
    /// Tasks that are finished.
    pub done: u32,
    /// Tasks that failed.
    pub failed: u32,
}
