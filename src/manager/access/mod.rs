//! The access of guests to shared agents: which shares exist, and ending them.
//!
//! - `stored_shares`: the shares of an agent on disk
//! - `unshare`: `agent unshare`, and the end of all shares of an agent

pub(in crate::manager) mod stored_shares;
pub(in crate::manager) mod unshare;

use crate::manager::Context;

/// Ends the access of guests to an agent.
#[derive(Clone, Copy)]
pub struct Access<'a>(pub &'a Context);
