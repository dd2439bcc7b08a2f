//! The access of guests to shared agents: existing shares, and how they end.
//!
//! - `stored_shares`: the shares of an agent on disk
//! - `unshare`: `agent unshare`, and the end of all shares of an agent

pub(in crate::manager) mod stored_shares;
pub(in crate::manager) mod unshare;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that end the access of guests to an agent.
#[derive(Clone, Copy)]
pub struct Access<'a>(pub &'a Context);
