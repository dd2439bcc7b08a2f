//! The workspaces of agents: worktrees, taskspaces and the work in them.
//!
//! - `worktree`: a git worktree for an agent
//! - `setup`: files and commands that a new worktree needs
//! - `unsaved_work`: work that exists in one place only
//! - `withdraw`: undoing an agent that could not be started

pub(in crate::manager) mod setup;
pub(in crate::manager) mod unsaved_work;
pub(in crate::manager) mod withdraw;
pub(in crate::manager) mod worktree;

use crate::manager::Context;

/// Use cases that create and protect the workspaces of agents.
#[derive(Clone, Copy)]
pub struct Workspaces<'a>(pub &'a Context);
