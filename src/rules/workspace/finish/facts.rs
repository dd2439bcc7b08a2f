//! The facts on which a plan for finishing depends.

use std::path::PathBuf;

use crate::model::{AgentName, ChangedFile, Status, TaskId};

/// Everything that decides whether and how the work of an agent can be finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishFacts {
    /// Name of the agent.
    pub agent: AgentName,
    /// Whether processes of the agent are running.
    pub is_running: bool,
    /// The status of the agent if it may change files at any time: it starts, is in the middle of a turn, or waits for
    /// the user in one.
    pub busy: Option<Status>,
    /// Tasks that are queued for the agent.
    pub queued: Vec<TaskId>,
    /// Whether the user has configured git to sign commits.
    pub signs_commits: bool,
    /// The worktree of the agent.
    pub work: WorkFacts,
    /// The base branch.
    pub base: BaseFacts,
}

/// The worktree of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFacts {
    /// Root of the worktree.
    pub directory: PathBuf,
    /// The branch that is checked out, or `None` if HEAD is detached.
    pub branch: Option<String>,
    /// The branch that was created for the agent and is removed with it.
    pub own_branch: Option<String>,
    /// Number of commits of that branch that are neither in the work nor in the base branch: the agent has switched to
    /// another branch.
    pub left_out_commits: u64,
    /// Id of the commit that is checked out.
    pub head: String,
    /// Name of an operation that stopped half-way.
    pub operation: Option<&'static str>,
    /// Paths with conflicts.
    pub unmerged: Vec<String>,
    /// Repositories below the worktree that are not submodules.
    pub embedded: Vec<String>,
    /// Files in submodules with changes that are not committed there.
    pub in_submodules: Vec<ChangedFile>,
    /// Submodules with commits that exist only in this worktree.
    pub unsaved_submodules: Vec<String>,
    /// Files with changes that are not committed, and submodules whose new commit is not recorded.
    pub uncommitted: Vec<ChangedFile>,
    /// Ignored files, and directories with a slash at the end, that exist only in this worktree.
    pub ignored: Vec<String>,
    /// Number of commits that the base branch lacks.
    pub commits: u64,
    /// Number of commits of the base branch that the worktree lacks.
    pub behind: u64,
}

/// The base branch of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseFacts {
    /// Name of the branch.
    pub branch: String,
    /// Id of its commit.
    pub commit: String,
    /// The working tree that has it checked out.
    pub directory: Option<PathBuf>,
    /// Further working trees that have it checked out.
    pub other_directories: Vec<PathBuf>,
    /// Tracked files with changes in that working tree.
    pub changed: Vec<ChangedFile>,
    /// Name of an operation that stopped half-way in that working tree.
    pub operation: Option<&'static str>,
    /// The upstream of the branch, if it has commits that the branch lacks.
    pub upstream: Option<UpstreamFacts>,
}

/// An upstream that is ahead of its branch, as of the last fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamFacts {
    /// Name of the upstream, such as `origin/main`.
    pub name: String,
    /// Number of commits that the branch lacks.
    pub commits: u64,
    /// How many of them the agent's work contains.
    pub in_work: u64,
}
