//! Unsaved work: files, commits and stashes that would be lost if their workspace were removed.

use serde::{Deserialize, Serialize};

use crate::model::{ChangedFile, MergeForecast};

/// Work in a working tree that exists nowhere else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorktreeState {
    /// Files with uncommitted changes.
    pub changed: Vec<ChangedFile>,
    /// Number of commits that no remote and no other branch has.
    pub commits: u64,
    /// Number of stashes made on its branch.
    pub stashes: u64,
}

impl WorktreeState {
    /// Returns whether there is no unsaved work.
    pub fn is_none(&self) -> bool {
        *self == WorktreeState::default()
    }
}

/// Position of an agent's branch relative to the base of its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BranchPosition {
    /// Number of files with uncommitted changes; `None` if git could not report them.
    pub changed: Option<usize>,
    /// Number of commits that the base lacks; `None` without a base.
    pub ahead: Option<u64>,
    /// Number of commits of the base that the branch lacks; `None` without a base.
    pub behind: Option<u64>,
    /// Result of merging the branch, as far as it is remarkable.
    pub outcome: Option<BranchOutcome>,
}

/// A result of merging a branch that rows of lists mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchOutcome {
    /// The base has all of the work.
    Merged,
    /// This many files would have conflicts.
    Conflicts(usize),
}

/// Unsaved work in numbers, with the disk usage of the workspace. The field names are a public contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkCounts {
    /// Number of files with uncommitted changes; `None` if git could not report them.
    pub changed: Option<usize>,
    /// Number of commits that no remote and no other branch has.
    pub ahead: Option<u64>,
    /// Number of stashes made on the branch.
    pub stashes: Option<u64>,
    /// Disk usage in bytes of a workspace that belongs to the agent alone.
    pub size: Option<u64>,
}

/// The work of an agent and its relation to the base branch, for lists. The field names are a public contract.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkSummary {
    /// Unsaved work in numbers.
    #[serde(flatten)]
    pub counts: WorkCounts,
    /// Position relative to the base; `None` without a base.
    pub base: Option<BasePosition>,
    /// Whether the commits of the branch are in the base; `None` if this is unknown or the agent works in place.
    pub merged: Option<MergedWork>,
    /// The result of merging the work with its uncommitted files; `None` if the agent has no branch of its own.
    pub merge: Option<MergeForecast>,
    /// The pull request of the branch; `None` if there is none, or it is unknown.
    #[serde(default)]
    pub pull_request: Option<PullRequest>,
    /// Why the pull requests of the repository are unknown.
    #[serde(default)]
    pub pull_request_error: Option<String>,
}

/// A pull request as the forge reports it. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Number of the pull request in its repository.
    pub number: u64,
    /// Address of the pull request.
    pub url: String,
    /// Whether it is open.
    pub state: PullRequestState,
    /// The results of all checks of its last commit; `None` without checks.
    pub checks: Option<CheckState>,
}

/// Whether a pull request is open, was merged, or was closed without a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PullRequestState {
    /// It can still be merged.
    Open,
    /// It was closed without a merge.
    Closed,
    /// Its branch was merged.
    Merged,
}

/// The results of several checks as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// All checks succeeded or were skipped.
    Pass,
    /// At least one check failed.
    Fail,
    /// No check failed, and at least one has not ended.
    Pending,
}

/// Position of a branch relative to the base of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BasePosition {
    /// Name of the base branch; `None` if the base is a commit.
    pub name: Option<String>,
    /// Number of commits that the base lacks.
    pub ahead: u64,
    /// Number of commits of the base that the branch lacks.
    pub behind: u64,
}

/// Whether the commits of a branch are in its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergedWork {
    /// Nothing was committed on the branch.
    Empty,
    /// The base contains the whole change, as commits or as one commit.
    Merged,
    /// The base lacks commits.
    Unmerged,
}
