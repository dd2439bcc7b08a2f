//! Events of tmux and of agent CLIs, reported by `symposium event`.
//!
//! - `intake`: what each event means for the record, the ledger and the status line

pub(in crate::manager) mod intake;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Receives events of tmux and of agent CLIs.
#[derive(Clone, Copy)]
pub struct Events<'a>(pub &'a Context);
