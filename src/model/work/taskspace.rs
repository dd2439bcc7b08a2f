//! A taskspace: worktree, agent and task in one. `taskspace.json` in the worktree is this type; people, agents and
//! other tools may read it and add to its log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName};

/// What a taskspace is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taskspace {
    /// The agent's id.
    pub id: AgentId,
    /// What it is called, as its agent is.
    pub name: AgentName,
    /// The task.
    pub description: String,
    /// What was noted about it, the oldest first.
    #[serde(default)]
    pub log: Vec<LogEntry>,
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// What.
    pub text: String,
}
