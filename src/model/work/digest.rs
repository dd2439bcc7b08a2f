//! What happened to all agents and tasks in a span of time, grouped by project.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, Recap, Task, TaskId};

/// A digest over all agents and tasks. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Digest {
    /// The beginning of the span.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// The end of the span.
    #[serde(with = "crate::base::json_time")]
    pub until: Timestamp,
    /// What needs a person now.
    pub needs_you: NeedsYou,
    /// The projects in which something happened, by path.
    pub projects: Vec<DigestProject>,
}

/// What needs a person. The field names are a public contract.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NeedsYou {
    /// Agents that wait, have crashed or are lost, the most urgent first.
    pub agents: Vec<AgentName>,
    /// Tasks that failed in the span and were not retried.
    pub tasks: Vec<TaskId>,
}

/// What happened in one project. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DigestProject {
    /// The project's directory; `None` for tasks whose agent is gone.
    pub project: Option<String>,
    /// The agents to which something happened, or that need a person.
    pub agents: Vec<Recap>,
    /// The tasks that ended, the oldest first.
    pub tasks: Vec<Task>,
}
