//! One at a time at a repository's list of worktrees. git writes an entry in several steps and takes no lock: who reads
//! the list meanwhile finds half an entry and gives up.
//!
//! Held for the entry only, never for a checkout. A repository that cannot be locked (some network file systems) is used
//! as git itself would use it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::command::{Git, GitError};
use super::{common_dir, project};

/// Longer than any entry takes to write; who holds it longer stands still, and git may be lucky.
const PATIENCE: Duration = Duration::from_secs(10);

impl Git {
    /// Does something with the list of worktrees of the repository around a directory, alone.
    pub(super) fn in_turn<T>(
        &self,
        dir: &Path,
        work: impl FnOnce() -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let _turn = shared_dir(dir).and_then(|shared| take(File::open(shared).ok()?));
        work()
    }
}

/// The directory that the worktrees share; a submodule's repository is named by it.
fn shared_dir(dir: &Path) -> Option<PathBuf> {
    project(dir)
        .and_then(|top| common_dir(&top))
        .or_else(|| dir.join("HEAD").is_file().then(|| dir.to_owned()))
}

/// The locked directory; the system lets go of it when its holder dies.
fn take(dir: File) -> Option<File> {
    match dir.try_lock() {
        Ok(()) => return Some(dir),
        Err(TryLockError::Error(_)) => return None,
        Err(TryLockError::WouldBlock) => {}
    }
    let (done, result) = mpsc::channel();
    // Left behind when time runs out; it lets go of what it gets too late.
    let wait = move || done.send(dir.lock().map(|()| dir));
    thread::Builder::new().name("git turn".to_owned()).spawn(wait).ok()?;
    result.recv_timeout(PATIENCE).ok()?.ok()
}
