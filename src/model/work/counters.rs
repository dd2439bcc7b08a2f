//! Event counters for monitoring systems.

use std::collections::HashMap;

use crate::model::{Status, TaskState};

/// Numbers that the ledger has counted since it was created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventCounters {
    /// Number of status changes, by the new status.
    pub transitions: HashMap<Status, u64>,
    /// Number of automatic restarts.
    pub restarts: u64,
    /// Number of agents that reached the limit on restarts.
    pub given_up: u64,
    /// Number of heartbeats that were due.
    pub heartbeats: u64,
    /// Current number of tasks, by state.
    pub tasks: HashMap<TaskState, u64>,
}
