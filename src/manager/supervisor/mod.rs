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

use crate::manager::Context;

/// Use cases that start, stop and inspect the supervisor process.
#[derive(Clone, Copy)]
pub struct SupervisorControl<'a>(pub &'a Context);
