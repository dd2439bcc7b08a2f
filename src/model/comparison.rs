//! The work of several agents side by side. The field names are a public contract.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentName, Status, WaitingFor};

/// The work of one agent, to compare it with that of others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedAgent {
    /// Name of the agent.
    pub name: AgentName,
    /// Kind of the agent.
    pub kind: String,
    /// Current status of the agent.
    pub status: Status,
    /// Reason for waiting; `None` unless the status is `waiting`.
    pub waiting_for: Option<WaitingFor>,
    /// Amount of work; `None` if git cannot tell.
    pub work: Option<WorkAmount>,
    /// Whether the work would merge into the base branch.
    pub merge: MergeForecast,
    /// Result of the checks on exactly this work; `None` if they have not run on it.
    pub checks: Option<CheckResult>,
    /// Last line of the last reply.
    pub last_line: Option<String>,
    /// Facts that limit the comparison, as sentences.
    pub remarks: Vec<String>,
}

/// How much an agent changed since its base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkAmount {
    /// Branch or other ref that the work is compared with.
    pub base: Option<String>,
    /// Number of commits.
    pub commits: usize,
    /// Number of files with uncommitted changes.
    pub uncommitted: usize,
    /// Number of changed files.
    pub files: usize,
    /// Number of added lines.
    pub insertions: u64,
    /// Number of removed lines.
    pub deletions: u64,
}

/// The expected result of merging the work into its base branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum MergeForecast {
    /// The work merges without conflicts.
    Clean,
    /// The base branch has all of the work.
    Nothing,
    /// The work conflicts with the base branch.
    Conflicts {
        /// Paths with conflicts.
        paths: Vec<String>,
    },
    /// It cannot be determined.
    Unknown {
        /// Why git cannot tell.
        reason: String,
    },
}

/// The result of running the checks on the work of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Whether all checks succeeded.
    pub passed: bool,
    /// The check that failed.
    pub failed: Option<String>,
    /// Time at which the checks ended.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
}
