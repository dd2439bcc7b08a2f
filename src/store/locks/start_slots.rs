//! Agents that are being started right now: each holds a place from before it is counted until it is written down,
//! so that concurrent starts never pass a cap. A place of somebody who was killed is nobody's.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::AgentName;
use crate::store::home::create_private;
use crate::store::locks::file_lock::{self, AgentLock, PlainLock};
use crate::store::{Store, StoreError};

/// The directory of places, a file each. No agent can have a lock of this name.
const PLACES: &str = "_starting";
/// Whoever decides may have to put agents to sleep first, one after the other.
const PATIENCE: Duration = Duration::from_secs(60);

/// The right to decide who may start; let go of when dropped.
pub struct Gate(#[expect(dead_code, reason = "held for its lock")] PlainLock);

/// The place of one agent that is being started; given back when dropped.
pub struct Place {
    lock: Option<AgentLock>,
    number: usize,
}

impl Drop for Place {
    fn drop(&mut self) {
        // The file of the first stays: who starts one agent after the other makes and removes none.
        if let Some(lock) = self.lock.take()
            && self.number > 0
        {
            lock.retire();
        }
    }
}

impl Store {
    /// Waits for the right to decide.
    pub fn lock_room(&self) -> Result<Gate, StoreError> {
        let path = self.home.run().join("_room.lock");
        PlainLock::acquire(&path, PATIENCE).map(Gate)
    }

    /// Who is being started now; some may be written down already.
    pub fn starting(&self, _gate: &Gate) -> Result<Vec<String>, StoreError> {
        let places = self.places();
        let entries = match fs::read_dir(&places) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            other => other.map_err(StoreError::write(&places))?,
        };
        Ok(entries
            .flatten()
            .filter_map(|entry| file_lock::holder(&entry.path()))
            .map(|(_, name)| name)
            .collect())
    }

    /// Takes a place for this agent: the first that is free.
    pub fn take_place(&self, name: &AgentName, _gate: &Gate) -> Result<Place, StoreError> {
        let places = self.places();
        create_private(&places).map_err(StoreError::write(&places))?;
        for number in 0.. {
            let path = places.join(number.to_string());
            if let Some(lock) = AgentLock::acquire(&path, name.as_str(), Duration::ZERO)? {
                return Ok(Place { lock: Some(lock), number });
            }
        }
        unreachable!("numbers do not end")
    }

    fn places(&self) -> PathBuf {
        self.home.run().join(PLACES)
    }
}
