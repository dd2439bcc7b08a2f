//! Slots for agents that are being started. Each start holds a slot from before it is counted until its record is
//! stored, so that concurrent starts never exceed the capacity. The slot of a killed process is free again.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::AgentName;
use crate::store::home::create_private;
use crate::store::locks::file_lock::{self, AgentLock, PlainLock};
use crate::store::{Store, StoreError};

/// Directory of the slots, with one file per slot. No agent can have a lock with this name.
const SLOTS_DIR: &str = "_starting";
/// Time limit for waiting for the lock: its holder may have to hibernate agents first, one after the other.
const SLOT_TIMEOUT: Duration = Duration::from_secs(60);

/// The lock for deciding which agents may start. It is released when the value is dropped.
pub struct StartLock(#[expect(dead_code, reason = "held for its lock")] PlainLock);

/// The slot of one agent that is being started. It is released when the value is dropped.
pub struct StartSlot {
    lock: Option<AgentLock>,
    number: usize,
}

impl Drop for StartSlot {
    fn drop(&mut self) {
        // The file of the first slot stays, so that starting one agent after the other creates and removes no files.
        if let Some(lock) = self.lock.take()
            && self.number > 0
        {
            lock.release_and_remove();
        }
    }
}

/// Slots of the agents that are being started.
#[derive(Debug, Clone, Copy)]
pub struct StartSlots<'a>(pub &'a Store);

impl StartSlots<'_> {
    /// Waits for the lock for deciding which agents may start.
    pub fn lock(&self) -> Result<StartLock, StoreError> {
        let path = self.0.home.run().join("_room.lock");
        PlainLock::acquire(&path, SLOT_TIMEOUT).map(StartLock)
    }

    /// Returns the names of the agents that are being started. The records of some may be stored already.
    pub fn starting(&self, _gate: &StartLock) -> Result<Vec<String>, StoreError> {
        let slots = self.dir();
        let entries = match fs::read_dir(&slots) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            other => other.map_err(StoreError::write(&slots))?,
        };
        Ok(entries
            .flatten()
            .filter_map(|entry| file_lock::holder(&entry.path()))
            .map(|(_, name)| name)
            .collect())
    }

    /// Takes the first free slot for this agent.
    pub fn take(&self, name: &AgentName, _gate: &StartLock) -> Result<StartSlot, StoreError> {
        let slots = self.dir();
        create_private(&slots).map_err(StoreError::write(&slots))?;
        for number in 0.. {
            let path = slots.join(number.to_string());
            if let Some(lock) = AgentLock::acquire(&path, name.as_str(), Duration::ZERO)? {
                return Ok(StartSlot { lock: Some(lock), number });
            }
        }
        unreachable!("numbers do not end")
    }

    fn dir(&self) -> PathBuf {
        self.0.home.run().join(SLOTS_DIR)
    }
}
