//! Summaries of what happened to agents.
//!
//! - `recap`: `agent recap`
//! - `digest`: `recap` over all agents
//! - `recap_all`: the events of all agents and tasks

pub(in crate::manager) mod recap;
pub(in crate::manager) mod recap_all;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that summarize what happened.
#[derive(Clone, Copy)]
pub struct Recaps<'a>(pub &'a Context);
