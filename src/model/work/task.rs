//! Tasks: queued work for an agent.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName};

/// Maximum length of a task's title in characters.
const MAX_TITLE_CHARS: usize = 80;

/// Number of a task.
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
    /// Number of the task.
    pub id: TaskId,
    /// Agent that the task is assigned to; `None` while no agent has claimed it.
    #[serde(rename = "agent_id")]
    pub agent: Option<AgentId>,
    /// Name of that agent when it was assigned the task.
    #[serde(rename = "agent")]
    pub agent_name: Option<AgentName>,
    /// Spec whose agents may claim the task; the first free one gets it.
    pub pool: Option<String>,
    /// Text of the task.
    pub text: String,
    /// Priority of the task.
    pub priority: Priority,
    /// State of the task.
    pub state: TaskState,
    /// Source of the task: `person`, `heartbeat` or the name of an agent.
    pub source: String,
    /// Id of the agent that added the task; `None` for any other source. Permissions compare this id, because a
    /// reserved name or the name of a former agent can become the name of another agent.
    pub source_id: Option<AgentId>,
    /// Time at which the task was added.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Time at which its state last changed.
    #[serde(with = "crate::base::json_time")]
    pub changed_at: Timestamp,
    /// Time at which it was last dispatched to its agent.
    #[serde(with = "crate::base::json_time::option")]
    pub dispatched_at: Option<Timestamp>,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Maximum number of retries after a failure.
    pub retries: u32,
    /// Time limit in seconds.
    pub timeout_s: Option<u32>,
    /// Markdown file that is handed over with the task.
    pub topic: Option<String>,
    /// Tasks that must be done first.
    pub after: Vec<TaskId>,
    /// Number of those tasks that are not done.
    pub blocked: u32,
    /// Progress that the agent reported.
    pub progress: Option<TaskProgress>,
    /// Whether the user has to check the task, because its outcome is not known.
    pub flagged: bool,
    /// Reason for the state.
    pub why: String,
    /// Result of the task.
    pub result: Option<String>,
}

impl Task {
    /// Returns the marker that identifies this attempt of the task in the typed text.
    pub fn mark(&self) -> String {
        match self.attempts {
            0 | 1 => format!("[symposium task {}]", self.id),
            attempt => format!("[symposium task {}/{attempt}]", self.id),
        }
    }

    /// Returns the first line that is not empty, up to the maximum length of a title.
    pub fn title(&self) -> String {
        title(&self.text)
    }

    /// Returns the name of the task's agent, or `any:SPEC` for the queue of a spec.
    pub fn assignee_name(&self) -> String {
        match (&self.agent_name, &self.pool) {
            (Some(name), _) => name.to_string(),
            (None, Some(spec)) => format!("any:{spec}"),
            (None, None) => "-".into(),
        }
    }
}

/// Returns the first line of a text that is not empty, up to the maximum length of a title.
pub(in crate::model) fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some(_) => line.chars().take(MAX_TITLE_CHARS - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

/// Progress of a task, as its agent reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskProgress {
    /// Percentage that is done, 0 to 100.
    pub percent: u8,
    /// Description of the progress.
    pub note: String,
}

/// One entry in the history of a task's states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskStep {
    /// Time at which the task entered the state.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// State that the task entered.
    pub state: TaskState,
    /// Number of the attempt.
    pub attempt: u32,
    /// Reason for the change.
    pub why: String,
}

/// Assignee of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignee {
    /// The task is for this agent.
    Agent(AgentId, AgentName),
    /// The task is for the first free agent of this spec.
    Any(String),
}

/// A task that is about to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// Assignee of the task.
    pub assignee: Assignee,
    /// Text of the task.
    pub text: String,
    /// Priority of the task.
    pub priority: Priority,
    /// Source of the task: `person`, `heartbeat` or the name of an agent.
    pub source: String,
    /// Id of the agent that adds the task; `None` for any other source.
    pub source_id: Option<AgentId>,
    /// Tasks that must be done first.
    pub after: Vec<TaskId>,
    /// Markdown file that is handed over with the task.
    pub topic: Option<String>,
    /// Time limit in seconds.
    pub timeout_s: Option<u32>,
    /// Maximum number of retries after a failure.
    pub retries: u32,
}

impl NewTask {
    /// Creates a task with normal priority and without dependencies, topic, time limit or retries.
    pub fn plain(assignee: Assignee, text: impl Into<String>, source: impl Into<String>) -> NewTask {
        NewTask {
            assignee,
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

/// Returns the task whose marker a typed text contains.
pub fn marked_task(text: &str) -> Option<TaskId> {
    let (_, behind) = text.rsplit_once("[symposium task ")?;
    let (number, _) = behind.split_once(']')?;
    number.split('/').next()?.parse().ok().map(TaskId)
}

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TaskState {
    /// The task has not been started.
    Queued,
    /// The task is being typed into its agent.
    Dispatched,
    /// The agent works on the task.
    Running,
    /// The task is finished.
    Done,
    /// The task failed and is not tried again.
    Failed,
    /// The task was withdrawn.
    Cancelled,
}

impl TaskState {
    /// All states, in the order in which a task can pass through them.
    pub const ALL: [TaskState; 6] = [
        TaskState::Queued,
        TaskState::Dispatched,
        TaskState::Running,
        TaskState::Done,
        TaskState::Failed,
        TaskState::Cancelled,
    ];

    /// Returns the name of the state.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// States of a task that is not over.
    pub const OPEN: [TaskState; 3] = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];

    /// Returns whether the state is final.
    pub fn is_over(self) -> bool {
        matches!(self, TaskState::Done | TaskState::Failed | TaskState::Cancelled)
    }
}

/// Priority of a task; the first variant is the most urgent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownPriority, parse_err_fn = UnknownPriority::new)]
pub enum Priority {
    /// The task runs before all others.
    Critical,
    /// The task runs before tasks of normal priority.
    High,
    /// The task runs in the order in which it was added.
    #[default]
    Normal,
    /// The task runs after tasks of normal priority.
    Low,
    /// The task runs when the queue holds no other task.
    Idle,
}

impl Priority {
    /// Every priority, the most urgent first.
    pub const ALL: [Priority; 5] =
        [Priority::Critical, Priority::High, Priority::Normal, Priority::Low, Priority::Idle];

    /// Returns the name of the priority.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Error for a text that is not a priority.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a priority; known: critical, high, normal, low, idle")]
pub struct UnknownPriority(pub String);

impl UnknownPriority {
    fn new(text: &str) -> UnknownPriority {
        UnknownPriority(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_of_a_task_is_found_at_any_position() {
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
