//! Where agents work: worktrees, taskspaces and the work in them.
//!
//! - `worktree`: a git worktree for an agent
//! - `setup`: files and commands that a new worktree needs
//! - `unsaved_work`: work that exists in one place only
//! - `taskspace`: worktree, agent and task as one
//! - `taskspace_update`: changing the purpose of a taskspace
//! - `shell`: `agent shell` and `agent edit`

pub(in crate::manager) mod setup;
pub(in crate::manager) mod shell;
pub(in crate::manager) mod taskspace;
pub(in crate::manager) mod taskspace_update;
pub(in crate::manager) mod unsaved_work;
pub(in crate::manager) mod worktree;
