//! Queued work for an agent.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::Serialize;

use super::{AgentId, AgentName};

/// The number of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct TaskId(pub i64);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    /// Its number.
    pub id: TaskId,
    /// Whose it is.
    pub agent: AgentId,
    /// What that was called when the task was added.
    pub agent_name: AgentName,
    /// What is to be done.
    pub text: String,
    /// How urgent it is.
    pub priority: Priority,
    /// How far it is.
    pub state: TaskState,
    /// Who put it there: `person`, `heartbeat`, or an agent's name.
    pub source: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub changed_at: Timestamp,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it is in this state.
    pub why: String,
    /// What came of it.
    pub result: Option<String>,
}

/// A task about to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// Whose it is.
    pub agent: AgentId,
    /// What that is called.
    pub agent_name: AgentName,
    /// What is to be done.
    pub text: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Who puts it there.
    pub source: String,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// Not begun.
    Queued,
    /// Being typed in.
    Dispatched,
    /// Being worked on.
    Running,
    /// Finished.
    Done,
    /// Given up.
    Failed,
    /// Not wanted any more.
    Cancelled,
}

impl TaskState {
    /// Every state.
    pub const ALL: [TaskState; 6] = [
        TaskState::Queued,
        TaskState::Dispatched,
        TaskState::Running,
        TaskState::Done,
        TaskState::Failed,
        TaskState::Cancelled,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            TaskState::Queued => "queued",
            TaskState::Dispatched => "dispatched",
            TaskState::Running => "running",
            TaskState::Done => "done",
            TaskState::Failed => "failed",
            TaskState::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more will come of it.
    pub fn is_over(self) -> bool {
        matches!(self, TaskState::Done | TaskState::Failed | TaskState::Cancelled)
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How urgent a task is; the first is the most urgent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before everything.
    Critical,
    /// Soon.
    High,
    /// In its turn.
    #[default]
    Normal,
    /// After the others.
    Low,
    /// When there is nothing else.
    Idle,
}

impl Priority {
    /// Every priority, the most urgent first.
    pub const ALL: [Priority; 5] =
        [Priority::Critical, Priority::High, Priority::Normal, Priority::Low, Priority::Idle];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Priority::Critical => "critical",
            Priority::High => "high",
            Priority::Normal => "normal",
            Priority::Low => "low",
            Priority::Idle => "idle",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A text that is none of the priorities.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a priority; known: critical, high, normal, low, idle")]
pub struct UnknownPriority(pub String);

impl FromStr for Priority {
    type Err = UnknownPriority;

    fn from_str(text: &str) -> Result<Self, UnknownPriority> {
        Priority::ALL.into_iter().find(|p| p.word() == text).ok_or_else(|| UnknownPriority(text.to_owned()))
    }
}
