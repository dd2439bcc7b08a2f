//! Taskspaces: worktree, agent and task, created and deleted together.
//!
//! - `manage`: `taskspace new`, `list`, `delete`
//! - `update`: changes of title and description

pub(in crate::manager) mod manage;
pub(in crate::manager) mod update;

pub use manage::TaskspaceView;
pub use update::TaskspaceUpdate;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases for taskspaces.
#[derive(Clone, Copy)]
pub struct Taskspaces<'a>(pub &'a Context);
