//! How often things happened, for those who draw curves.

use std::collections::HashMap;

use crate::model::{Status, TaskState};

/// What the ledger has counted since it was begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tallies {
    /// Changes of status, by what they led to.
    pub transitions: HashMap<Status, u64>,
    /// Agents that were started again by themselves.
    pub restarts: u64,
    /// Agents that were started again too often.
    pub given_up: u64,
    /// Heartbeats that were due.
    pub heartbeats: u64,
    /// Tasks as they are now, by state.
    pub tasks: HashMap<TaskState, u64>,
}
