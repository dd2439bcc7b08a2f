//! The review of an agent's work.
//!
//! - `base`: the commit that the work is compared with
//! - `diff`: all changes since the base
//! - `branch_position`: commits ahead and behind, and conflicts, for the dashboard
//! - `work_summary`: numbers and expected conflicts of many agents, for `agent list --work`
//! - `pull_requests`: the pull requests of their branches
//! - `forge`: running `gh` and `glab`

pub(in crate::manager) mod base;
pub(in crate::manager) mod branch_position;
pub(in crate::manager) mod diff;
pub(in crate::manager) mod forge;
pub(in crate::manager) mod pull_requests;
pub(in crate::manager) mod work_summary;

pub use diff::{DiffPart, DiffRequest, DiffSession};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that show what an agent changed.
#[derive(Clone, Copy)]
pub struct Reviews<'a>(pub &'a Context);
