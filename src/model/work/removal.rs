//! Removal of an agent: the work that would be deleted with it, and where a copy of that work is kept. Also worktrees
//! and branches that are not needed any more. The field names are a public contract.

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
    /// Ignored files of the worktree, which are deleted without a copy. A directory ends with a slash.
    pub ignored: Vec<String>,
    /// Other running agents that work in the directory.
    pub shared_with: Vec<AgentName>,
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
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Time at which the copy is deleted.
    #[serde(with = "crate::base::json_time")]
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

/// Why a worktree or branch is not needed any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum SweepReason {
    /// The base contains all of its work.
    Merged,
    /// It never had any work.
    Empty,
    /// Its directory or its branch was deleted.
    Gone,
}

/// The commits and changes of a worktree's branch that its base lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeState {
    /// The branch does not exist any more.
    Gone,
    /// Nothing was committed on the branch.
    Empty,
    /// The base contains the whole change, as commits or as one commit.
    Merged,
    /// This number of commits has not been merged.
    Unmerged(u64),
}

/// A worktree or branch that Symposium created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreatedWork {
    /// Agent of the worktree; `None` for a branch whose agent was removed.
    pub agent: Option<AgentName>,
    /// Repository of the worktree or branch.
    pub repository: PathBuf,
    /// Branch that Symposium created; `None` if it belongs to the user or was deleted.
    pub branch: Option<String>,
    /// Last commit of that branch.
    pub commit: Option<String>,
    /// Directory of the worktree; `None` if it does not exist.
    pub path: Option<PathBuf>,
    /// Disk usage of the worktree in bytes.
    pub size: u64,
    /// Ignored files of the worktree, which are deleted without a copy. A directory ends with a slash.
    pub ignored: Vec<String>,
}

/// A worktree or branch that `agent sweep` removes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SweptWork {
    /// The worktree or branch.
    #[serde(flatten)]
    pub work: CreatedWork,
    /// Why it is not needed any more.
    pub reason: SweepReason,
    /// The copy of commits that only the reflog of the worktree had.
    pub recovered: Option<RecoveredWork>,
}

/// A worktree or branch that `agent sweep` does not remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptWork {
    /// The worktree or branch.
    #[serde(flatten)]
    pub work: CreatedWork,
    /// Why it is kept.
    pub reason: String,
}
