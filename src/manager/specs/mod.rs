//! Specs: finding, checking, showing and trusting them.
//!
//! - `resolve`: the spec that a name, a kind or a path means
//! - `list`: `spec list`
//! - `show`: `spec show`
//! - `check`: `spec check`
//! - `init`: `spec init`
//! - `trust`: `spec trust`, `spec untrust`, and the check before a spawn

pub(in crate::manager) mod check;
pub(in crate::manager) mod init;
pub(in crate::manager) mod list;
pub(in crate::manager) mod resolve;
pub(in crate::manager) mod show;
pub(in crate::manager) mod trust;
