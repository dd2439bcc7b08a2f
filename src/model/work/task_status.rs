//! The state of a task as it is shown: the stored state, refined by what blocks the task or its agent.

use serde::Serialize;

use crate::model::{Task, TaskState};

/// The state of a task in tables, in `--state` and in the JSON field `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TaskStatus {
    /// The task is on a queue and waits only for its turn.
    Queued,
    /// The task is on a queue, and a task that it depends on is not done.
    Blocked,
    /// The task is being typed into its agent.
    Dispatched,
    /// The agent works on the task.
    Running,
    /// The agent has begun the task and waits for the user.
    Waiting,
    /// The task is finished.
    Done,
    /// The task failed and is not tried again.
    Failed,
    /// The task ended, and its outcome could not be determined.
    Unknown,
    /// The task was withdrawn.
    Cancelled,
}

impl TaskStatus {
    /// All statuses, in the order in which a task can pass through them.
    pub const ALL: [TaskStatus; 9] = [
        TaskStatus::Queued,
        TaskStatus::Blocked,
        TaskStatus::Dispatched,
        TaskStatus::Running,
        TaskStatus::Waiting,
        TaskStatus::Done,
        TaskStatus::Failed,
        TaskStatus::Unknown,
        TaskStatus::Cancelled,
    ];

    /// Determines the status of a task from its state and from whether its agent waits for the user.
    pub fn of(task: &Task, agent: AgentWaits) -> TaskStatus {
        match task.state {
            TaskState::Queued if task.blocked > 0 => TaskStatus::Blocked,
            TaskState::Queued => TaskStatus::Queued,
            TaskState::Dispatched => TaskStatus::Dispatched,
            TaskState::Running if agent == AgentWaits::Yes => TaskStatus::Waiting,
            TaskState::Running => TaskStatus::Running,
            TaskState::Done => TaskStatus::Done,
            TaskState::Failed if task.flagged => TaskStatus::Unknown,
            TaskState::Failed => TaskStatus::Failed,
            TaskState::Cancelled => TaskStatus::Cancelled,
        }
    }

    /// Returns the stored state of a task that has this status.
    pub fn state(self) -> TaskState {
        match self {
            TaskStatus::Queued | TaskStatus::Blocked => TaskState::Queued,
            TaskStatus::Dispatched => TaskState::Dispatched,
            TaskStatus::Running | TaskStatus::Waiting => TaskState::Running,
            TaskStatus::Done => TaskState::Done,
            TaskStatus::Failed | TaskStatus::Unknown => TaskState::Failed,
            TaskStatus::Cancelled => TaskState::Cancelled,
        }
    }

    /// Returns the name of the status.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Whether the agent of a task waits for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentWaits {
    /// The agent waits for the user.
    Yes,
    /// The agent does not wait, or the task has no agent.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_status_has_its_own_word() {
        let words: std::collections::BTreeSet<&str> =
            TaskStatus::ALL.into_iter().map(TaskStatus::word).collect();
        assert_eq!(words.len(), TaskStatus::ALL.len());
        for state in TaskState::ALL {
            assert!(words.contains(state.word()), "{state}");
        }
    }
}
