//! The locks of open shares. A process serves each share and holds a lock file with the granted share as its content.
//! Only processes of this user can hold such a lock, and the kernel releases it when the process ends for any reason.
//! Therefore a locked file always belongs to a running share process, and no query to that process is necessary.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::{AgentName, Share};
use crate::store::locks::file_lock::{self, AgentLock};
use crate::store::{Store, StoreError, home};

/// Time limit for waiting for the lock: a process that checks whether a share is open holds it for an instant.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A share that a running process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDoor {
    /// User id of the guest.
    pub guest: u32,
    /// Id of the process that serves the share, or `None` in the instant before the process has recorded it.
    pub keeper: Option<i32>,
    /// The granted share, as the process recorded it.
    pub share: Option<Share>,
}

impl Store {
    /// Takes the lock for serving a share, until the returned value is dropped. Returns `None` if another process holds
    /// it.
    pub fn hold_door(&self, name: &AgentName, share: &Share) -> Result<Option<AgentLock>, StoreError> {
        let dir = self.doors_dir();
        home::create_private(&dir).map_err(StoreError::write(&dir))?;
        let text = serde_json::to_string(share).unwrap_or_default();
        AgentLock::acquire(&self.door_file(name, share.uid), &text, LOCK_TIMEOUT)
    }

    /// Returns all open shares of an agent.
    pub fn doors(&self, name: &AgentName) -> Result<Vec<OpenDoor>, StoreError> {
        let guests = self.door_files(name)?.into_iter();
        Ok(guests.filter_map(|guest| self.door(name, guest)).collect())
    }

    /// Returns the share of an agent for this guest, if it is open.
    pub fn door(&self, name: &AgentName, guest: u32) -> Option<OpenDoor> {
        let path = self.door_file(name, guest);
        if !file_lock::is_locked(&path) {
            return None;
        }
        let (keeper, share) = file_lock::holder(&path).unzip();
        Some(OpenDoor { guest, keeper, share: share.and_then(|text| serde_json::from_str(&text).ok()) })
    }

    /// Removes the lock files of an agent's shares that no process serves any more. The caller holds the agent's lock,
    /// so that no share is being opened.
    pub fn forget_doors(&self, name: &AgentName) -> Result<(), StoreError> {
        for guest in self.door_files(name)? {
            if self.door(name, guest).is_none() {
                let _ = fs::remove_file(self.door_file(name, guest));
            }
        }
        Ok(())
    }

    fn doors_dir(&self) -> PathBuf {
        self.home.run().join("doors")
    }

    fn door_file(&self, name: &AgentName, guest: u32) -> PathBuf {
        self.doors_dir().join(format!("{guest}-{name}"))
    }

    /// Returns the guests that have a lock file for this agent, whether the lock is held or not.
    fn door_files(&self, name: &AgentName) -> Result<Vec<u32>, StoreError> {
        let dir = self.doors_dir();
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            other => other.map_err(StoreError::read(&dir))?,
        };
        let guest = |entry: fs::DirEntry| {
            let file = entry.file_name();
            let (guest, agent) = file.to_str()?.split_once('-')?;
            (agent == name.as_str()).then(|| guest.parse().ok())?
        };
        let mut guests: Vec<u32> = entries.filter_map(Result::ok).filter_map(guest).collect();
        guests.sort_unstable();
        Ok(guests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(uid: u32) -> Share {
        let since = jiff::Timestamp::from_second(1000).unwrap();
        Share { with: "guest".into(), uid, read_only: true, since, until: None }
    }

    #[test]
    fn a_door_is_open_for_as_long_as_its_keeper_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("home")).unwrap();
        let [a, b]: [AgentName; 2] = ["a", "1-a"].map(|name| name.parse().unwrap());
        assert_eq!(store.doors(&a).unwrap(), []);
        let held = store.hold_door(&a, &share(7)).unwrap().unwrap();
        let other = store.hold_door(&b, &share(7)).unwrap().unwrap();
        let open = OpenDoor {
            guest: 7,
            keeper: Some(i32::try_from(std::process::id()).unwrap()),
            share: Some(share(7)),
        };
        assert_eq!(store.doors(&a).unwrap(), std::slice::from_ref(&open));
        store.forget_doors(&a).unwrap();
        assert_eq!(store.door(&a, 7), Some(open), "what is held is not forgotten");
        drop(held);
        assert_eq!(store.doors(&a).unwrap(), []);
        store.forget_doors(&a).unwrap();
        assert_eq!(fs::read_dir(store.doors_dir()).unwrap().count(), 1);
        assert_eq!(store.doors(&b).unwrap().len(), 1);
        // Checked last: a wait that times out leaves a thread behind, which takes the lock for an instant once it is
        // free.
        assert!(store.hold_door(&b, &share(7)).unwrap().is_none(), "one keeper a door");
        drop(other);
    }
}
