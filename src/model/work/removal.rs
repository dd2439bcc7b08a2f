//! Removal of an agent: the work that would be deleted with it, and where a copy of that work is kept.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentName, ChangedFile, Workspace};

/// Work in an agent's own workspace that exists nowhere else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnsavedWork {
    /// Files with changes that are not committed; the entries of a scratch folder.
    pub files: Vec<ChangedFile>,
    /// Number of commits that no remote and no other branch has.
    pub commits: u64,
    /// Number of stashes made on the agent's branch.
    pub stashes: u64,
    /// Reason why git could not report the state of the worktree.
    pub unknown: Option<String>,
}

impl UnsavedWork {
    /// Returns whether the workspace contains no unsaved work.
    pub fn is_empty(&self) -> bool {
        *self == UnsavedWork::default()
    }
}

/// Everything that removing an agent would delete. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovalPreview {
    /// Name of the agent.
    pub name: AgentName,
    /// Whether processes of the agent are running.
    pub running: bool,
    /// Kind of workspace in which the agent works.
    pub workspace: Workspace,
    /// Directory that would be deleted; `None` for an agent that works in place.
    pub path: Option<String>,
    /// Branch of the agent's worktree.
    pub branch: Option<String>,
    /// Work that exists nowhere else.
    #[serde(flatten)]
    pub unsaved: UnsavedWork,
    /// The unsaved work as sentences, one for each kind of work.
    pub summary: Vec<String>,
    /// Whether a removal is refused without `--force`.
    pub needs_force: bool,
}

/// A copy of removed work, kept for a limited time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveredWork {
    /// Agent that the work belonged to.
    pub agent: AgentName,
    /// Unique name of the copy, `AGENT-TIMESTAMP`.
    pub name: String,
    /// Time at which the copy was made.
    pub at: Timestamp,
    /// Time at which the copy is deleted.
    pub until: Timestamp,
    /// Commits that hold the work, one for each repository.
    #[serde(default)]
    pub refs: Vec<RecoveryRef>,
    /// Directory that holds the work that git could not store.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

/// A commit with the uncommitted work of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryRef {
    /// Repository that holds the commit.
    pub repository: PathBuf,
    /// Full name of the ref that points to it.
    pub reference: String,
}
