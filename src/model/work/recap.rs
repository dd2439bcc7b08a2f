//! What happened to an agent while nobody looked, told on one screen.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, MessageId, Status, TaskId, WaitingFor};

/// What happened to one agent in a span of time. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recap {
    /// What it is called.
    pub name: AgentName,
    /// From when.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Until when.
    #[serde(with = "crate::base::json_time")]
    pub until: Timestamp,
    /// What it does now.
    pub status: Status,
    /// What it waits for, when it waits.
    pub waiting_for: Option<WaitingFor>,
    /// Why we think so.
    pub reason: String,
    /// How its status changed, the oldest first.
    pub changes: Vec<RecapChange>,
    /// How long it did what; the longest first, in seconds.
    pub spent: Vec<Spent>,
    /// How many prompts it took.
    pub prompts: u32,
    /// How often it was started again by itself.
    pub restarts: u32,
    /// Whether it was started again too often, and is left alone.
    pub gave_up: bool,
    /// Tasks that were done.
    pub done: Vec<RecapTask>,
    /// Tasks that failed.
    pub failed: Vec<RecapTask>,
    /// Mail that it got and sent, the oldest first.
    pub messages: Vec<RecapMessage>,
    /// Commits made where it works, the newest first; none when that is no repository or git could not say.
    pub commits: Option<Vec<Commit>>,
    /// What is changed and not committed there.
    pub uncommitted: Option<Changes>,
    /// The last prompt that it is known to have got.
    pub last_prompt: Option<String>,
    /// The last thing it said.
    pub last_words: Option<String>,
    /// What it asks for now.
    pub asks: Option<String>,
}

/// One change of status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapChange {
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// From what; none when it was new.
    pub from: Option<Status>,
    /// To what.
    pub to: Status,
    /// Why.
    pub why: String,
}

/// How long a status lasted, all its times together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// The status.
    pub status: Status,
    /// How long, in seconds.
    pub seconds: u64,
}

/// A task that came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapTask {
    /// Its number.
    pub id: TaskId,
    /// Its first line.
    pub title: String,
    /// Why it ended so.
    pub why: String,
}

/// Mail that an agent got or sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecapMessage {
    /// Its number.
    pub id: MessageId,
    /// When it was sent; when it was read, if the agent got it.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Who sent it: an agent's name, or `person`.
    pub from: String,
    /// The agent it is for; none when it is for a person.
    pub to: Option<AgentName>,
    /// Its first line.
    pub text: String,
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its id, as short as git makes it.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// When it was made.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
}

/// What is changed in a working tree and not committed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The files, in git's order.
    pub files: Vec<ChangedFile>,
    /// Lines added in files that git knows.
    pub insertions: u64,
    /// Lines removed in them.
    pub deletions: u64,
}

/// One file that is not as it was committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// In what way.
    pub kind: ChangeKind,
    /// Its path from the top of the repository.
    pub path: String,
}

/// In what way a file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Git will know it with the next commit.
    Added,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// Git does not know it.
    Untracked,
    /// A merge could not decide.
    Conflicted,
}
