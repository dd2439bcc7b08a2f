//! Summaries of what happened to agents.
//!
//! - `recap`: `agent recap NAME`
//! - `digest`: `agent recap` without a name: a recap of all agents and tasks

pub(in crate::manager) mod digest;
pub(in crate::manager) mod recap;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that summarize what happened.
#[derive(Clone, Copy)]
pub struct Recaps<'a>(pub &'a Context);
