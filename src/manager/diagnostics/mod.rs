//! Checks, metrics and other information about the installation itself.
//!
//! - `doctor`: `symposium doctor`
//! - `server_checks`: checks of the running tmux server
//! - `storage_checks`: checks of the state directory and of the supervisor
//! - `notice_checks`: checks of the channels to other devices
//! - `metrics`: `symposium metrics`
//! - `completions`: shell completion of names
//! - `manual`: `symposium man`
//! - `reload_config`: `config reload`

pub(in crate::manager) mod completions;
pub(in crate::manager) mod doctor;
pub(in crate::manager) mod manual;
pub(in crate::manager) mod metrics;
pub(in crate::manager) mod notice_checks;
pub(in crate::manager) mod reload_config;
pub(in crate::manager) mod server_checks;
pub(crate) mod storage_checks;

pub use completions::CompletionKind;
pub use doctor::{Check, Health};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that examine the installation.
#[derive(Clone, Copy)]
pub struct Diagnostics<'a>(pub &'a Context);

/// Checks the running tmux server, for `doctor`.
#[derive(Clone, Copy)]
pub struct ServerChecks<'a>(pub &'a Context);

/// Checks the disk, the ledger and the helper processes, for `doctor`.
#[derive(Clone, Copy)]
pub struct StorageChecks<'a>(pub &'a Context);

/// Checks the channels to other devices, for `doctor`.
#[derive(Clone, Copy)]
pub struct NoticeChecks<'a>(pub &'a Context);

/// Lists the names that a shell can complete.
#[derive(Clone, Copy)]
pub struct Completions<'a>(pub &'a Context);
