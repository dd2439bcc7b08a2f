//! The supervisor process: starting, stopping, inspecting and installing it.
//!
//! - `control`: starting, stopping and finding the supervisor
//! - `service`: `service install` and `uninstall`
//! - `log`: `supervisor log`
//! - `stall`: a supervisor that makes no progress

pub(in crate::manager) mod control;
pub(in crate::manager) mod log;
pub(in crate::manager) mod service;
pub(in crate::manager) mod stall;
#[cfg(test)]
mod tests;

pub use crate::service::ServiceRole;
pub use control::{ExitWatcher, StartWait, Supervision};
pub use log::LogEnd;
pub use service::{Installed, Uninstalled};

use crate::manager::Context;

/// Use cases that start, stop and inspect the supervisor process.
#[derive(Clone, Copy)]
pub struct SupervisorControl<'a>(pub &'a Context);

/// Detects a supervisor that has stopped working, and replaces it.
#[derive(Clone, Copy)]
pub struct SupervisorWatchdog<'a>(pub &'a Context);

/// Installs and removes the system service that starts the supervisor at boot.
#[derive(Clone, Copy)]
pub struct ServiceInstallation<'a>(pub &'a Context);
