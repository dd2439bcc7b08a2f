//! Serializes access to a repository's list of worktrees. git writes an entry in several steps without a lock: a
//! process that reads the list in the meantime finds an incomplete entry and fails.
//!
//! The lock is held while the entry is written, never during a checkout. If a repository cannot be locked (on some
//! network file systems), git is used without the lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::super::command::GitError;
use super::super::{common_dir, project};

/// Time limit for waiting for the lock, longer than writing an entry takes. A holder that exceeds it hangs, and the
/// command proceeds without the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs an operation on the list of worktrees with exclusive access to the repository around a directory.
pub(in crate::git) fn with_worktree_lock<T>(
    dir: &Path,
    work: impl FnOnce() -> Result<T, GitError>,
) -> Result<T, GitError> {
    let _turn = shared_dir(dir).and_then(|shared| take(File::open(shared).ok()?));
    work()
}

/// Returns the directory that the worktrees of a repository share. For the repository of a submodule, that is `dir`
/// itself.
fn shared_dir(dir: &Path) -> Option<PathBuf> {
    project(dir)
        .and_then(|top| common_dir(&top))
        .or_else(|| dir.join("HEAD").is_file().then(|| dir.to_owned()))
}

/// Locks a directory and returns it. The kernel releases the lock when its holder exits.
fn take(dir: File) -> Option<File> {
    match dir.try_lock() {
        Ok(()) => return Some(dir),
        Err(TryLockError::Error(_)) => return None,
        Err(TryLockError::WouldBlock) => {}
    }
    let (done, result) = mpsc::channel();
    // The thread is left behind when the time limit is exceeded; it releases a lock that it gets too late.
    let wait = move || done.send(dir.lock().map(|()| dir));
    thread::Builder::new().name("git turn".to_owned()).spawn(wait).ok()?;
    result.recv_timeout(LOCK_TIMEOUT).ok()?.ok()
}
