//! Summary of what happened to an agent in a period, for one screen.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, FailedTurn, MessageId, Status, TaskId, WaitingFor};

/// A recap of one agent. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recap {
    /// Name of the agent.
    pub name: AgentName,
    /// Beginning of the period.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// End of the period.
    #[serde(with = "crate::base::json_time")]
    pub until: Timestamp,
    /// Current status of the agent.
    pub status: Status,
    /// Reason for waiting; `None` unless the status is `waiting`.
    pub waiting_for: Option<WaitingFor>,
    /// Failed turn that the status is about, if the last turn failed.
    pub failure: Option<FailedTurn>,
    /// Explanation of the status.
    pub reason: String,
    /// Turns that failed, the oldest first.
    pub failed_turns: Vec<RecapFailure>,
    /// Status changes, the oldest first.
    pub changes: Vec<RecapChange>,
    /// Time spent in each status, in seconds, the longest first.
    pub spent: Vec<StatusDuration>,
    /// Number of prompts that the agent accepted.
    pub prompts: u32,
    /// Number of automatic restarts.
    pub restarts: u32,
    /// Whether the agent reached the limit on restarts.
    pub gave_up: bool,
    /// Tasks that were done.
    pub done: Vec<RecapTask>,
    /// Tasks that failed.
    pub failed: Vec<RecapTask>,
    /// Messages that the agent received and sent, the oldest first.
    pub messages: Vec<RecapMessage>,
    /// Commits made in the working directory, the newest first; `None` if it is not a repository or git failed.
    pub commits: Option<Vec<Commit>>,
    /// Uncommitted changes in the working directory.
    pub uncommitted: Option<UncommittedWork>,
    /// Last prompt that the agent is known to have received.
    pub last_prompt: Option<String>,
    /// Last reply of the agent.
    pub last_words: Option<String>,
    /// Question that the agent asks now.
    pub asks: Option<String>,
}

/// One turn that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapFailure {
    /// Time of the failure.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Error that ended the turn.
    pub why: String,
}

/// One change of status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapChange {
    /// Time of the change.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Status before the change; `None` for a new agent.
    pub from: Option<Status>,
    /// Status after the change.
    pub to: Status,
    /// Reason for the change.
    pub why: String,
}

/// Total time that an agent spent in one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StatusDuration {
    /// Status that the time was spent in.
    pub status: Status,
    /// Duration in seconds.
    pub seconds: u64,
}

/// A task that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapTask {
    /// Number of the task.
    pub id: TaskId,
    /// First line of the task.
    pub title: String,
    /// Reason for the task's final state.
    pub why: String,
}

/// A message that an agent received or sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapMessage {
    /// Number of the message.
    pub id: MessageId,
    /// Time at which the message was sent, or read if the agent received it.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Sender of the message: the name of an agent, or `person`.
    pub from: String,
    /// Agent that receives the message; `None` if it is for the user.
    pub to: Option<AgentName>,
    /// First line of the message.
    pub text: String,
}

/// One commit in the working directory of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Abbreviated id, as git shortens it.
    pub id: String,
    /// First line of the commit message.
    pub subject: String,
    /// Time of the commit.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
}

/// Uncommitted changes in a working tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UncommittedWork {
    /// Changed files, in git's order.
    pub files: Vec<ChangedFile>,
    /// Number of added lines in tracked files.
    pub insertions: u64,
    /// Number of removed lines in tracked files.
    pub deletions: u64,
}

/// One file with uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Path relative to the top of the repository.
    pub path: String,
}

/// Kind of an uncommitted change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The file is added to the index.
    Added,
    /// The content or mode was changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// Git does not track the file.
    Untracked,
    /// The file has a merge conflict.
    Conflicted,
}
