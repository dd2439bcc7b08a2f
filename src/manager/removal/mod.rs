//! Removing agents, and the work that must not disappear with them.
//!
//! - `remove`: `agent rm`
//! - `discard`: `agent discard`
//! - `prune`: `agent prune`
//! - `sweep`: `agent sweep`
//! - `ephemeral`: agents that are removed when their task is done
//! - `recover`: `agent recover`
//! - `keep_copy`: preview of unsaved work, and the copy that is kept for 30 days

pub(in crate::manager) mod discard;
pub(in crate::manager) mod ephemeral;
pub(in crate::manager) mod keep_copy;
pub(in crate::manager) mod prune;
pub(in crate::manager) mod recover;
pub(in crate::manager) mod remove;
pub(in crate::manager) mod sweep;

pub use discard::DiscardPreview;
pub use ephemeral::RemovedEphemeral;
pub use prune::{PruneRequest, Pruned};
pub use recover::Recovery;
pub use remove::{Removal, Removed};
pub use sweep::SweepPlan;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Removes agents with their files and records.
#[derive(Clone, Copy)]
pub struct AgentRemoval<'a>(pub &'a Context);
