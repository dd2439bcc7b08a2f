//! Locks on separate files, so that the files they protect can be replaced.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

use crate::base::file_lock::{FileLockError, LockedFile, lock_file};
use crate::model::AgentName;
use crate::store::StoreError;

/// Time limit for waiting for the lock of an agent: longer than most operations take, short enough for a user to wait.
pub(in crate::store) const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limit for waiting for the lock of a registry. Each holder needs milliseconds, but on a busy machine a hundred
/// processes may wait, and they do not get the lock in the order of their arrival.
pub(in crate::store) const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);

/// A lock that does not record its holder, for short operations.
#[derive(Debug)]
pub(in crate::store) struct PlainLock(#[expect(dead_code, reason = "held for its lock")] LockedFile);

impl PlainLock {
    /// Waits for the lock, at most as long as `timeout`.
    pub(in crate::store) fn acquire(path: &Path, timeout: Duration) -> Result<PlainLock, StoreError> {
        match acquire(path, timeout)? {
            Some(file) => Ok(PlainLock(file)),
            None => Err(StoreError::LockTimeout { path: path.to_owned(), waited: timeout }),
        }
    }
}

/// An exclusive lock on one agent. It is released when the value is dropped.
#[derive(Debug)]
pub struct AgentLock {
    locked: LockedFile,
    path: PathBuf,
}

impl AgentLock {
    /// Waits for the lock, at most as long as `timeout`. Returns `None` if another process kept it.
    pub(in crate::store) fn acquire(
        path: &Path,
        doing: &str,
        timeout: Duration,
    ) -> Result<Option<AgentLock>, StoreError> {
        let Some(locked) = acquire(path, timeout)? else { return Ok(None) };
        // The text is only for users, so a failure is ignored: an agent must be killable on a full disk.
        let text = format!("{} {doing}\n", std::process::id());
        let mut file = locked.file();
        let is_clean = file.metadata().is_ok_and(|meta| meta.len() == 0);
        let emptied = if is_clean { Ok(()) } else { file.set_len(0) };
        let _ = emptied.and_then(|()| file.write_all(text.as_bytes()));
        Ok(Some(AgentLock { locked, path: path.to_owned() }))
    }

    /// Releases the lock of an agent that no longer exists, and removes the lock file.
    pub fn release_and_remove(self) {
        // A process that waits for the lock on the removed file notices that it is gone and creates a new one.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for AgentLock {
    fn drop(&mut self) {
        // Prevents other processes from reading about a finished operation. The lock is released after this.
        let _ = self.locked.file().set_len(0);
    }
}

/// Builds the error for a held lock from the text that its holder wrote into it.
pub(in crate::store) fn busy(path: &Path, name: &AgentName) -> StoreError {
    let text = fs::read_to_string(path).unwrap_or_default();
    let (pid, doing) = text.lines().next().and_then(|line| line.split_once(' ')).unwrap_or_default();
    let doing = if doing.is_empty() { "another process holds its lock" } else { doing };
    StoreError::AgentBusy { name: name.clone(), pid: pid.parse().ok(), doing: doing.to_owned() }
}

/// Returns the process that holds a lock and its operation, or `None` if the lock is free. The check uses a shared lock
/// and does not take the lock from a waiting process.
pub(in crate::store) fn holder(path: &Path) -> Option<(i32, String)> {
    let file =
        OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let (pid, doing) = text.trim_end().split_once(' ')?;
    Some((pid.parse().ok()?, doing.to_owned()))
}

/// Returns whether a process holds a lock. The check uses a shared lock and does not take the lock from a waiting
/// process.
pub(in crate::store) fn is_locked(path: &Path) -> bool {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the locked file, or `None` if the time limit was exceeded.
fn acquire(path: &Path, timeout: Duration) -> Result<Option<LockedFile>, StoreError> {
    lock_file(path, timeout).map_err(|error| match error {
        FileLockError::Open(source) => StoreError::write(path)(source),
        FileLockError::Lock(source) => StoreError::lock(path)(source),
    })
}
