//! Checkpoints: the files and the index of a working tree, stored before each turn of an agent.
//!
//! A checkpoint is a commit below `refs/symposium/checkpoints/ID/` in the repository of the agent. A detached process
//! takes it, so the hook that reports the turn returns at once. A lock for each agent keeps the processes that take,
//! restore and delete its checkpoints apart.
//!
//! - `take`: before a turn, or before a restore
//! - `list`: the checkpoints of an agent, and the difference to one of them
//! - `restore`: brings the files and the index of a checkpoint back
//! - `expire`: deletes old checkpoints, and those of removed agents

pub(in crate::manager) mod expire;
pub(in crate::manager) mod list;
pub(in crate::manager) mod restore;
pub(in crate::manager) mod take;

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

use crate::manager::Context;
use crate::model::AgentRecord;

/// Takes, lists and restores the checkpoints of agents.
#[derive(Clone, Copy)]
pub struct Checkpoints<'a>(pub &'a Context);

/// The state file about the checkpoints of an agent.
const STATE_FILE: &str = "checkpoints.json";

/// The result of the last attempt to take a checkpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct CheckpointState {
    /// The working tree or repository that holds the checkpoints.
    repository: PathBuf,
    /// Why the last checkpoint was not taken, and when.
    skipped: Option<SkippedCheckpoint>,
    /// Number of the checkpoint whose restore has begun and has not been completed.
    unfinished_restore: Option<u64>,
}

/// A checkpoint that was not taken. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedCheckpoint {
    /// Time of the attempt.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// The reason as a sentence.
    pub reason: String,
}

impl Checkpoints<'_> {
    fn state(&self, record: &AgentRecord) -> CheckpointState {
        let read = self.0.store.instance(&record.name).read_state(STATE_FILE).ok().flatten();
        read.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn write_state(&self, record: &AgentRecord, state: &CheckpointState) -> Result<(), crate::error::Error> {
        let text = serde_json::to_vec_pretty(state)
            .map_err(|error| crate::error::Error::io(format!("cannot write {STATE_FILE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(STATE_FILE, &text)?)
    }
}
