//! Agents shared with other users of this machine.
//!
//! - `share`: `agent share`
//! - `listener`: the process that accepts one guest
//! - `guest`: attaching to an agent of another user

pub(in crate::manager) mod guest;
pub(in crate::manager) mod listener;
pub(in crate::manager) mod share;

pub use guest::{ConnectPurpose, DisconnectReason, GUEST_PREFIX, IncomingShares};
pub use share::ShareRequest;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that share agents with other users of this machine.
#[derive(Clone, Copy)]
pub struct Sharing<'a>(pub &'a Context);
