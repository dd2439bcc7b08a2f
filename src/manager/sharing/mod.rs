//! Agents shared with other users of this machine.
//!
//! - `share`: `agent share`
//! - `unshare`: `agent unshare`
//! - `listener`: the process that accepts one guest
//! - `guest`: attaching to an agent of another user

pub(in crate::manager) mod guest;
pub(in crate::manager) mod listener;
pub(in crate::manager) mod share;
pub(in crate::manager) mod unshare;
