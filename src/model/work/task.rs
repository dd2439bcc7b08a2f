//! Queued work for an agent.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName};

/// The longest title of a task.
const MOST_TITLE: usize = 80;

/// The number of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskId(pub i64);

impl FromStr for TaskId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_start_matches('#').parse().map(TaskId)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One task. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    /// Its number.
    pub id: TaskId,
    /// Whose it is; none while nobody has taken it.
    #[serde(rename = "agent_id")]
    pub agent: Option<AgentId>,
    /// What that was called when it got the task.
    #[serde(rename = "agent")]
    pub agent_name: Option<AgentName>,
    /// The spec any of whose agents may take it.
    pub pool: Option<String>,
    /// What is to be done.
    pub text: String,
    /// How urgent it is.
    pub priority: Priority,
    /// How far it is.
    pub state: TaskState,
    /// Who put it there: `person`, `heartbeat`, or an agent's name.
    pub source: String,
    /// The id of the agent that added it; `None` for everything else. Permissions compare this id, because a word or the
    /// name of a former agent can become the name of another agent.
    pub source_id: Option<AgentId>,
    /// When it was added.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// When its state last changed.
    #[serde(with = "crate::base::json_time")]
    pub changed_at: Timestamp,
    /// When it was last given to its agent.
    #[serde(with = "crate::base::json_time::option")]
    pub dispatched_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: u32,
    /// How often it may be tried again when it fails.
    pub retries: u32,
    /// How many seconds it may take.
    pub timeout_s: Option<u32>,
    /// The file that is handed along.
    pub topic: Option<String>,
    /// The tasks that must be done before.
    pub after: Vec<TaskId>,
    /// How many of them are not.
    pub blocked: u32,
    /// How far its agent says it is.
    pub progress: Option<Progress>,
    /// Whether a person has to look: it is not known what became of it.
    pub flagged: bool,
    /// Why it is in this state.
    pub why: String,
    /// What came of it.
    pub result: Option<String>,
}

impl Task {
    /// What tells this task, in this attempt, from every other in what an agent was typed.
    pub fn mark(&self) -> String {
        match self.attempts {
            0 | 1 => format!("[symposium task {}]", self.id),
            attempt => format!("[symposium task {}/{attempt}]", self.id),
        }
    }

    /// Its first line that says something, as long as a title may be.
    pub fn title(&self) -> String {
        title(&self.text)
    }

    /// Whose it is, in a word.
    pub fn whose(&self) -> String {
        match (&self.agent_name, &self.pool) {
            (Some(name), _) => name.to_string(),
            (None, Some(spec)) => format!("any:{spec}"),
            (None, None) => "-".into(),
        }
    }
}

/// The first line of a text that says something, as long as a title may be.
pub(in crate::model) fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MOST_TITLE) {
        Some(_) => line.chars().take(MOST_TITLE - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

/// How far an agent says it is with a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Of a hundred.
    pub percent: u8,
    /// In words.
    pub note: String,
}

/// A state that a task came into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskStep {
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Which.
    pub state: TaskState,
    /// In which attempt.
    pub attempt: u32,
    /// Why.
    pub why: String,
}

/// Who is to do a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doer {
    /// This agent.
    Agent(AgentId, AgentName),
    /// Whichever agent of this spec is free first.
    Any(String),
}

/// A task about to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// Who is to do it.
    pub doer: Doer,
    /// What is to be done.
    pub text: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Who puts it there.
    pub source: String,
    /// The id of the agent that adds it; `None` for everything else.
    pub source_id: Option<AgentId>,
    /// The tasks that must be done before.
    pub after: Vec<TaskId>,
    /// The file that is handed along.
    pub topic: Option<String>,
    /// How many seconds it may take.
    pub timeout_s: Option<u32>,
    /// How often it may be tried again.
    pub retries: u32,
}

impl NewTask {
    /// A task of its own: nothing comes before it and nothing with it.
    pub fn plain(doer: Doer, text: impl Into<String>, source: impl Into<String>) -> NewTask {
        NewTask {
            doer,
            text: text.into(),
            priority: Priority::Normal,
            source: source.into(),
            source_id: None,
            after: vec![],
            topic: None,
            timeout_s: None,
            retries: 0,
        }
    }
}

/// The task whose mark stands in a text that an agent was typed.
pub fn marked_task(text: &str) -> Option<TaskId> {
    let (_, behind) = text.rsplit_once("[symposium task ")?;
    let (number, _) = behind.split_once(']')?;
    number.split('/').next()?.parse().ok().map(TaskId)
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

    /// The states of a task that something will still come of.
    pub const OPEN: [TaskState; 3] = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_its_task_wherever_it_stands() {
        for (text, expected) in [
            ("do it\n\n[symposium task 17]", Some(17)),
            ("do it [symposium task 17/2]\n", Some(17)),
            ("as in [symposium task 3], go on [symposium task 4]", Some(4)),
            ("do it", None),
            ("[symposium task x]", None),
            ("[symposium task 3", None),
        ] {
            assert_eq!(marked_task(text), expected.map(TaskId), "{text}");
        }
    }
}
