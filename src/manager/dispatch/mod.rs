//! Giving queued tasks and messages to idle agents.
//!
//! - `run`: choosing and typing the next entry
//! - `recover`: deliveries that were interrupted

pub(in crate::manager) mod recover;
pub(in crate::manager) mod run;

pub use run::{DispatchOutcome, Dispatchable, QueueItem};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Gives queued tasks and messages to idle agents.
#[derive(Clone, Copy)]
pub struct Dispatcher<'a>(pub &'a Context);
