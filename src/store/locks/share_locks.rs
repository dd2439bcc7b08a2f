//! The doors to shared agents that are open: each is kept by a process that holds a lock of its own, in which stands
//! what was granted. Whoever holds such a lock is a process of ours, and the system lets go of it however that ends:
//! so what is found here is neither left over nor somebody else's, and needs nobody's answer.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::{AgentName, Share};
use crate::store::locks::file_lock::{self, AgentLock};
use crate::store::{Store, StoreError, home};

/// Whoever looks whether a door is open is in the way for an instant.
const PATIENCE: Duration = Duration::from_secs(1);

/// A door that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDoor {
    /// For whom.
    pub guest: u32,
    /// The process that keeps it; none in the instant in which it has not said so yet.
    pub keeper: Option<i32>,
    /// What was granted, as the keeper says.
    pub share: Option<Share>,
}

impl Store {
    /// The right to keep a door, for as long as the answer is held; `None` when another process has it.
    pub fn hold_door(&self, name: &AgentName, share: &Share) -> Result<Option<AgentLock>, StoreError> {
        let dir = self.doors_dir();
        home::create_private(&dir).map_err(StoreError::write(&dir))?;
        let text = serde_json::to_string(share).unwrap_or_default();
        AgentLock::acquire(&self.door_file(name, share.uid), &text, PATIENCE)
    }

    /// All doors to an agent that are open.
    pub fn doors(&self, name: &AgentName) -> Result<Vec<OpenDoor>, StoreError> {
        let guests = self.door_files(name)?.into_iter();
        Ok(guests.filter_map(|guest| self.door(name, guest)).collect())
    }

    /// The door to an agent for this user, when it is open.
    pub fn door(&self, name: &AgentName, guest: u32) -> Option<OpenDoor> {
        let path = self.door_file(name, guest);
        if !file_lock::is_locked(&path) {
            return None;
        }
        let (keeper, share) = file_lock::holder(&path).unzip();
        Some(OpenDoor { guest, keeper, share: share.and_then(|text| serde_json::from_str(&text).ok()) })
    }

    /// Removes what doors to an agent have left that nobody keeps any more. The caller holds the agent's lock, so
    /// that none is being opened.
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

    /// For whom there is a file, whether somebody holds it or not.
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
        // Last: who waits in vain leaves a thread behind that takes the lock for an instant once it is free.
        assert!(store.hold_door(&b, &share(7)).unwrap().is_none(), "one keeper a door");
        drop(other);
    }
}
