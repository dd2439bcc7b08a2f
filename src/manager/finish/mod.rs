//! Finishing the work of an agent: getting it into the base branch and removing what is not needed any more.
//!
//! - `facts`: the worktree and the base branch as git reports them
//! - `compute`: the result, with objects only
//! - `request`: the options of the command
//! - `run`: `agent finish`
//! - `bring_in`: bringing the base into the worktree
//! - `checks`: commands that must succeed before the base branch moves
//! - `conflict`: sending a conflict to the agent, `--continue` and `--abort`
//! - `verify`: refusing to overwrite files, before the plan and before the base branch moves
//! - `move_base`: moving the base branch and the working tree that has it checked out
//! - `journal`: the progress on disk, from which an interrupted run continues
//! - `interrupted`: continuing an interrupted run
//! - `cleanup`: removing worktree and branch
//! - `pull_request`: `agent finish --pr`
//! - `push_target`: the remote that it pushes to

pub(in crate::manager) mod bring_in;
pub(in crate::manager) mod checks;
pub(in crate::manager) mod cleanup;
pub(in crate::manager) mod compute;
pub(in crate::manager) mod conflict;
pub(in crate::manager) mod facts;
pub(in crate::manager) mod interrupted;
pub(in crate::manager) mod journal;
pub(in crate::manager) mod move_base;
pub(in crate::manager) mod pull_request;
pub(in crate::manager) mod push_target;
pub(in crate::manager) mod request;
pub(in crate::manager) mod run;
#[cfg(test)]
mod tests;
pub(in crate::manager) mod verify;

pub use interrupted::InterruptedFinish;
pub use pull_request::PullRequestReport;
pub use request::{CheckPolicy, FinishRequest};
pub use run::FinishReport;

use crate::manager::Context;

/// Use cases that get the work of an agent into its base branch.
#[derive(Clone, Copy)]
pub struct Finishing<'a>(pub &'a Context);
