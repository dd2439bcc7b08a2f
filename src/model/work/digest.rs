//! Everything that happened to all agents and tasks in a period, grouped by project.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, Recap, Task, TaskId};

/// A digest over all agents and tasks. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Digest {
    /// Beginning of the period.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// End of the period.
    #[serde(with = "crate::base::json_time")]
    pub until: Timestamp,
    /// Agents and tasks that need the user now.
    pub needs_you: NeedsYou,
    /// Projects in which something happened, by path.
    pub projects: Vec<DigestProject>,
}

/// Agents and tasks that need the user. The field names are a public contract.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NeedsYou {
    /// Agents that wait, have crashed or are lost, the most urgent first.
    pub agents: Vec<AgentName>,
    /// Tasks that failed in the period and were not retried.
    pub tasks: Vec<TaskId>,
}

/// Everything that happened in one project. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DigestProject {
    /// Directory of the project; `None` for tasks whose agent no longer exists.
    pub project: Option<String>,
    /// Agents to which something happened, or that need the user.
    pub agents: Vec<Recap>,
    /// Tasks that ended, the oldest first.
    pub tasks: Vec<Task>,
}
