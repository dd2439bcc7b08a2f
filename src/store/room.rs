//! Agents that are being started right now: each holds a place from before it is counted until it is written down,
//! so that concurrent starts never pass a cap. A place of somebody who was killed is nobody's.

use std::fs;
use std::time::Duration;

use super::lock::{self, AgentLock};
use super::{Store, StoreError};
use crate::model::AgentName;

/// How the file of a place begins. No agent can have a lock of this name.
const PLACE: &str = "_starting-";
/// Whoever decides may have to put agents to sleep first, one after the other.
const PATIENCE: Duration = Duration::from_secs(60);

/// The right to decide who may start; let go of when dropped.
pub struct Gate(#[expect(dead_code, reason = "held for its lock")] AgentLock);

/// The place of one agent that is being started; given back when dropped.
pub struct Place(Option<AgentLock>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(lock) = self.0.take() {
            lock.retire();
        }
    }
}

impl Store {
    /// Waits for the right to decide.
    pub fn lock_room(&self) -> Result<Gate, StoreError> {
        let path = self.home.run().join("_room.lock");
        let busy = || StoreError::LockTimeout { path: path.clone(), waited: PATIENCE };
        AgentLock::acquire(&path, "start", PATIENCE)?.map(Gate).ok_or_else(busy)
    }

    /// Who is being started now; some may be written down already.
    pub fn starting(&self, _gate: &Gate) -> Result<Vec<String>, StoreError> {
        let run = self.home.run();
        let entries = fs::read_dir(&run).map_err(StoreError::write(&run))?;
        let places = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PLACE));
        Ok(places
            .filter_map(|entry| {
                let held = lock::holder(&entry.path());
                if held.is_none() {
                    let _ = fs::remove_file(entry.path());
                }
                held.map(|(_, name)| name)
            })
            .collect())
    }

    /// Takes a place for this agent.
    pub fn take_place(&self, name: &AgentName, _gate: &Gate) -> Result<Place, StoreError> {
        let run = self.home.run();
        for n in 0.. {
            let path = run.join(format!("{PLACE}{}-{n}", std::process::id()));
            // Several threads of one process start agents side by side.
            if let Some(lock) = AgentLock::acquire(&path, name.as_str(), Duration::ZERO)? {
                return Ok(Place(Some(lock)));
            }
        }
        unreachable!("numbers do not end")
    }
}
