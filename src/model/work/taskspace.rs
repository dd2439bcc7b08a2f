//! A taskspace: a worktree, an agent and its task as one unit. `taskspace.json` in the worktree stores this type;
//! users, agents and other tools may read it and append to its log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName};

/// Description of a taskspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taskspace {
    /// Id of the agent.
    pub id: AgentId,
    /// Name of the taskspace and of its agent.
    pub name: AgentName,
    /// Text of the task.
    pub description: String,
    /// Notes about the task, the oldest first.
    #[serde(default)]
    pub log: Vec<LogEntry>,
}

/// One note in the log of a taskspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Time of the note.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Text of the note.
    pub text: String,
}
