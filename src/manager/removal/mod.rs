//! Removing agents, and the work that must not disappear with them.
//!
//! - `remove`: `agent rm`
//! - `prune`: `agent prune`
//! - `ephemeral`: agents that are removed when their task is done
//! - `kept_work`: preview of unsaved work, and the copy that is kept for 30 days

pub(in crate::manager) mod ephemeral;
pub(in crate::manager) mod kept_work;
pub(in crate::manager) mod prune;
pub(in crate::manager) mod remove;

use crate::manager::Context;

/// Removes agents with their files and records.
#[derive(Clone, Copy)]
pub struct AgentRemoval<'a>(pub &'a Context);
