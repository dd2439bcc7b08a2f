//! Taskspaces: worktree, agent and task, created and deleted as one.
//!
//! - `manage`: `taskspace new`, `list`, `delete`
//! - `update`: changing the purpose of a taskspace

pub(in crate::manager) mod manage;
pub(in crate::manager) mod update;

use crate::manager::Context;

/// Creates and deletes taskspaces.
#[derive(Clone, Copy)]
pub struct Taskspaces<'a>(pub &'a Context);
