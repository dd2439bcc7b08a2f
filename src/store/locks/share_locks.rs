//! The locks of open shares. A process serves each share and holds a lock file with the granted share as its content.
//! Only processes of this user can hold such a lock, and the kernel releases it when the process ends for any reason.
//! Therefore a locked file always belongs to a running share process, and no query to that process is necessary.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};

use crate::model::{AgentName, Share};
use crate::store::locks::file_lock::{self, AgentLock};
use crate::store::{Store, StoreError, home};

/// Time limit for waiting for the lock: a process that checks whether a share is open holds it for an instant.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A share that a running process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShare {
    /// User id of the guest.
    pub guest: u32,
    /// Id of the process that serves the share, or `None` in the instant before the process has recorded it.
    pub listener: Option<i32>,
    /// The granted share, as the process recorded it.
    pub share: Option<Share>,
}

/// Locks of the processes that serve shares, and the open shares.
#[derive(Debug, Clone, Copy)]
pub struct ShareLocks<'a>(pub &'a Store);

impl ShareLocks<'_> {
    /// Takes the lock for serving a share, until the returned value is dropped. Returns `None` if another process holds
    /// it.
    pub fn lock(&self, name: &AgentName, share: &Share) -> Result<Option<AgentLock>, StoreError> {
        let dir = self.dir();
        home::create_private(&dir).map_err(StoreError::write(&dir))?;
        let text = serde_json::to_string(share).unwrap_or_default();
        AgentLock::acquire(&self.path(name, share.uid), &text, LOCK_TIMEOUT)
    }

    /// Returns all open shares of an agent.
    pub fn open_shares(&self, name: &AgentName) -> Result<Vec<OpenShare>, StoreError> {
        let guests = self.guests(name)?.into_iter();
        Ok(guests.filter_map(|guest| self.open_share(name, guest)).collect())
    }

    /// Returns the share of an agent for this guest, if it is open.
    pub fn open_share(&self, name: &AgentName, guest: u32) -> Option<OpenShare> {
        let path = self.path(name, guest);
        if !file_lock::is_locked(&path) {
            return None;
        }
        let (listener, share) = file_lock::holder(&path).unzip();
        Some(OpenShare { guest, listener, share: share.and_then(|text| serde_json::from_str(&text).ok()) })
    }

    /// Removes the lock files of an agent's shares that no process serves any more. The caller holds the agent's lock,
    /// so that no share is being opened.
    pub fn remove_unused(&self, name: &AgentName) -> Result<(), StoreError> {
        for guest in self.guests(name)? {
            if self.open_share(name, guest).is_none() {
                let _ = fs::remove_file(self.path(name, guest));
            }
        }
        Ok(())
    }

    /// Returns the names of agents that may be shared, with one read of a directory.
    pub fn agents_with_shares(&self) -> HashSet<String> {
        let entries = fs::read_dir(self.dir()).into_iter().flatten().flatten();
        let agent = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.split_once('-')?.1.to_owned());
        entries.filter_map(agent).collect()
    }

    /// Wakes the processes that watch the registry, because shares are stored elsewhere and are part of their output.
    pub fn announce(&self) {
        let now = || Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now(), last_modification: now() };
        let _ = utimensat(CWD, self.0.home.registry(), &times, AtFlags::empty());
    }

    fn dir(&self) -> PathBuf {
        self.0.home.run().join("doors")
    }

    fn path(&self, name: &AgentName, guest: u32) -> PathBuf {
        self.dir().join(format!("{guest}-{name}"))
    }

    /// Returns the guests that have a lock file for this agent, whether the lock is held or not.
    fn guests(&self, name: &AgentName) -> Result<Vec<u32>, StoreError> {
        let dir = self.dir();
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
    fn share_is_open_while_its_process_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("home")).unwrap();
        let [a, b]: [AgentName; 2] = ["a", "1-a"].map(|name| name.parse().unwrap());
        assert_eq!(ShareLocks(&store).open_shares(&a).unwrap(), []);
        let held = ShareLocks(&store).lock(&a, &share(7)).unwrap().unwrap();
        let other = ShareLocks(&store).lock(&b, &share(7)).unwrap().unwrap();
        let open = OpenShare {
            guest: 7,
            listener: Some(i32::try_from(std::process::id()).unwrap()),
            share: Some(share(7)),
        };
        assert_eq!(ShareLocks(&store).open_shares(&a).unwrap(), std::slice::from_ref(&open));
        ShareLocks(&store).remove_unused(&a).unwrap();
        assert_eq!(ShareLocks(&store).open_share(&a, 7), Some(open), "what is held is not forgotten");
        drop(held);
        assert_eq!(ShareLocks(&store).open_shares(&a).unwrap(), []);
        ShareLocks(&store).remove_unused(&a).unwrap();
        assert_eq!(fs::read_dir(ShareLocks(&store).dir()).unwrap().count(), 1);
        assert_eq!(ShareLocks(&store).open_shares(&b).unwrap().len(), 1);
        // Checked last: a wait that times out leaves a thread behind, which takes the lock for an instant once it is
        // free.
        assert!(ShareLocks(&store).lock(&b, &share(7)).unwrap().is_none(), "one listener a door");
        drop(other);
    }
}
