//! The workspaces of agents: worktrees, taskspaces and the work in them.
//!
//! - `worktree`: a git worktree for an agent
//! - `carry_changes`: uncommitted changes for a new worktree
//! - `setup`: files and commands that a new worktree needs
//! - `ports`: the port range of a worktree
//! - `unsaved_work`: work that exists in one place only
//! - `withdraw`: undoing an agent that could not be started

mod carry_changes;
pub(in crate::manager) mod ports;
pub(in crate::manager) mod setup;
pub(in crate::manager) mod unsaved_work;
pub(in crate::manager) mod withdraw;
pub(in crate::manager) mod worktree;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that create and protect the workspaces of agents.
#[derive(Clone, Copy)]
pub struct Workspaces<'a>(pub &'a Context);

/// Finds work in a workspace that is not saved elsewhere.
#[derive(Clone, Copy)]
pub struct WorkInspection<'a>(pub &'a Context);

/// The treatment of the branch when its worktree is removed. Commits are never lost with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager) enum BranchRemoval {
    /// Removed if it has no commits of its own.
    IfEmpty,
    /// Removed if its commits exist elsewhere, such as in a recovery ref.
    IfStored,
    /// Kept with its commits.
    Never,
}

/// Prepares a new workspace: copied files and setup commands.
#[derive(Clone, Copy)]
pub struct WorkspaceSetup<'a>(pub &'a Context);
