//! An agent as everybody sees it: the record and the live pane joined. `agent list --json` is this type.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{
    AgentId, AgentName, AskedQuestion, Conversation, CutOff, Exit, FailedTurn, GivenParam, Progress, Restart,
    Status, Task, TaskId, WaitingFor, Workspace,
};

/// One agent, joined. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// What it is called.
    pub name: AgentName,
    /// What it is, for ever.
    pub id: AgentId,
    /// Free text for people.
    pub title: Option<String>,
    /// The beginning of the last prompt that it took, on one line.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The spec it was made from.
    pub spec: String,
    /// How its program is driven.
    pub kind: String,
    /// What it does.
    pub status: Status,
    /// What it waits for, when it waits.
    pub waiting_for: Option<WaitingFor>,
    /// Since when.
    #[serde(with = "crate::base::json_time")]
    pub status_since: Timestamp,
    /// Why we think so.
    pub reason: String,
    /// What it asks for, while it waits; the reason is the beginning of it.
    #[serde(default)]
    pub question: Option<AskedQuestion>,
    /// The failed turn that its status is about; `null` after a turn that succeeded.
    #[serde(default)]
    pub failure: Option<FailedTurn>,
    /// How it ended, when it did.
    pub exit: Option<Exit>,
    /// Where it runs.
    pub working_directory: String,
    /// The project around that.
    pub project: Option<String>,
    /// The branch it works on.
    pub branch: Option<String>,
    /// When it was seen that its directory is gone.
    #[serde(default, with = "crate::base::json_time::option")]
    pub directory_gone: Option<Timestamp>,
    /// What sort of place it works in.
    pub workspace: Workspace,
    /// Program and lasting arguments.
    pub command: Vec<String>,
    /// Its first process, while it runs.
    pub pid: Option<i32>,
    /// Where it is in tmux, while it is there.
    pub tmux: Option<TmuxView>,
    /// When it was born.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// When it last printed something.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_activity: Option<Timestamp>,
    /// When somebody last attached.
    #[serde(default, with = "crate::base::json_time::option")]
    pub last_attached: Option<Timestamp>,
    /// Who is attached.
    pub clients: Vec<Client>,
    /// The conversation of its CLI.
    pub conversation: Conversation,
    /// The agent that spawned it.
    pub parent: Option<AgentName>,
    /// Whether it vanishes when its task is done.
    pub ephemeral: bool,
    /// What its spec was given.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// What happens when it ends by itself.
    pub restart: Restart,
    /// Its queue in numbers.
    pub tasks: TaskCounts,
    /// What it is at.
    pub task: Option<CurrentTask>,
    /// The machine it lives on, when that is another one.
    pub host: Option<String>,
    /// The turn or dialog that was interrupted when the agent was lost; absent once it works again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
}

/// Where an agent is in tmux.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TmuxView {
    /// The path of the server's socket.
    pub socket: String,
    /// The session's name.
    pub session: String,
    /// The pane's id.
    pub pane: String,
}

/// An attached terminal. Of another machine it may be told with less.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Client {
    /// The Unix user.
    pub user: Option<String>,
    /// The terminal.
    pub tty: String,
    /// Whether it may only watch.
    pub observer: bool,
    /// Whether it is the one terminal that drives; none is where everybody attached may type.
    pub driver: bool,
    /// Whether it is another user's, to whom the agent is shared.
    pub guest: bool,
    /// Since when.
    #[serde(with = "crate::base::json_time::option")]
    pub since: Option<Timestamp>,
    /// The address it came from, over SSH.
    pub from: Option<String>,
    /// The process that draws on it.
    pub pid: Option<i32>,
    /// Whether it has the keyboard, as far as it tells: one that tells nothing has it.
    pub focused: bool,
}

/// The task that an agent is at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentTask {
    /// Its number.
    pub id: TaskId,
    /// Its first line.
    pub title: String,
    /// How far it is, when its agent has said so.
    pub progress: Option<Progress>,
}

impl CurrentTask {
    /// A task that runs.
    pub fn of(task: &Task) -> CurrentTask {
        CurrentTask { id: task.id, title: task.title(), progress: task.progress.clone() }
    }
}

/// A queue in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCounts {
    /// Not started.
    pub queued: u32,
    /// Being worked on.
    pub running: u32,
    /// Finished.
    pub done: u32,
    /// Given up.
    pub failed: u32,
}
