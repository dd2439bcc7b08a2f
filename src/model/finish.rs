//! Finishing the work of an agent: the method, and the plan as a list of steps. The field names are a public contract.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::AgentName;

/// How the work of an agent gets into its base branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FinishMethod {
    /// All changes as one commit.
    #[default]
    Squash,
    /// A copy of each commit on top of the base branch.
    Rebase,
    /// A merge commit.
    Merge,
}

/// A command that must succeed before the base branch moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FinishCheck {
    /// The line for the shell.
    pub line: String,
    /// The file that contains it.
    pub origin: String,
}

/// One step of finishing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum FinishStep {
    /// Commits the uncommitted files of the agent.
    Commit {
        /// Number of files.
        files: usize,
        /// Message of the commit.
        message: String,
    },
    /// Brings the commits of the agent onto the base branch.
    Merge {
        /// How they get there.
        method: FinishMethod,
        /// Number of commits.
        commits: u64,
        /// Number of files that change in the base branch.
        files: usize,
        /// Number of commits of the base branch that the agent's branch lacks.
        behind: u64,
    },
    /// Brings new commits of the base branch into the worktree of the agent, where the checks run.
    BringIn {
        /// Name of the base branch.
        branch: String,
        /// Number of commits.
        commits: u64,
    },
    /// Runs a check in the worktree of the agent.
    Check(FinishCheck),
    /// Ends the processes of the agent.
    EndAgent,
    /// Moves the base branch to the result.
    MoveBase {
        /// Name of the branch.
        branch: String,
        /// The commit that it is at.
        from: String,
        /// The working tree that has the branch checked out.
        directory: Option<PathBuf>,
    },
    /// Moves the agent's branch to the result, so that the agent can continue from there.
    Advance {
        /// The worktree of the agent.
        directory: PathBuf,
    },
    /// Removes the worktree of the agent.
    RemoveWorktree {
        /// The worktree of the agent.
        directory: PathBuf,
    },
    /// Pushes the branch of the agent to a remote.
    Push {
        /// Name of the branch.
        branch: String,
        /// Name of the remote.
        remote: String,
        /// URL of the remote without credentials.
        url: String,
    },
    /// Opens a pull request.
    OpenPullRequest {
        /// The program that opens it, or `None` if the user has to open it.
        program: Option<String>,
        /// Title of the pull request.
        title: String,
    },
    /// Removes the branch of the agent.
    RemoveBranch {
        /// Name of the branch.
        branch: String,
    },
}

/// The effects that finishing an agent would have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FinishPlan {
    /// Name of the agent.
    pub agent: AgentName,
    /// The base branch.
    pub base: String,
    /// The steps in their order.
    pub steps: Vec<FinishStep>,
    /// Paths with conflicts between the work and the base branch. If there are any, there are no steps.
    pub conflicts: Vec<String>,
    /// Facts that the user should know, as sentences.
    pub remarks: Vec<String>,
}
