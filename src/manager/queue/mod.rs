//! The queue of each agent: entries in the ledger that wait to be typed.
//!
//! - `entries`: adding and reading tasks
//! - `ephemeral_task`: the task that an ephemeral agent is spawned with

pub(in crate::manager) mod entries;
pub(in crate::manager) mod ephemeral_task;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Adds entries to the queues of agents.
#[derive(Clone, Copy)]
pub struct TaskQueue<'a>(pub &'a Context);
