//! Several agents on the same work. A *group* was started together on one task.
//!
//! - `fork`: `agent fork`
//! - `members`: the agents of a group
//! - `compare`: `agent compare`
//! - `spawn_group`: `agent spawn --count` and `--kinds`

pub(in crate::manager) mod compare;
pub(in crate::manager) mod fork;
pub(in crate::manager) mod members;
pub(in crate::manager) mod spawn_group;

pub use compare::ComparedChecks;
pub use fork::ForkRequest;
pub use spawn_group::GroupSize;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases for several agents on the same work.
#[derive(Clone, Copy)]
pub struct Groups<'a>(pub &'a Context);
