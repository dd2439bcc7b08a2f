//! Exclusive locks on files of their own, with a time limit. The kernel releases a lock when its holder exits for any
//! reason. Waiting does not poll.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::atomic_file::open_private;

/// The reason why a lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum FileLockError {
    /// The lock file could not be created or opened.
    #[error("{0}")]
    Open(io::Error),
    /// The lock file could not be locked.
    #[error("{0}")]
    Lock(io::Error),
}

/// A locked file. The lock is released when the value is dropped.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Returns the file.
    pub fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that another thread starts at this moment has a copy of the
        // descriptor until it executes its program, and would keep the lock for that long.
        let _ = self.0.unlock();
    }
}

/// Creates and locks a file. Returns `None` if another process kept the lock until the time limit.
pub fn lock_file(path: &Path, timeout: Duration) -> Result<Option<LockedFile>, FileLockError> {
    let deadline = Instant::now() + timeout;
    loop {
        let file = open_private(path).map_err(FileLockError::Open)?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => {
                let left = deadline.saturating_duration_since(Instant::now());
                match wait(file, left).map_err(FileLockError::Lock)? {
                    Some(file) => file,
                    None => return Ok(None),
                }
            }
            Err(TryLockError::Error(source)) => return Err(FileLockError::Lock(source)),
        };
        // A lock on a file that was removed in the meantime does not exclude other processes.
        if is_at(&file, path).map_err(FileLockError::Lock)? {
            return Ok(Some(LockedFile(file)));
        }
    }
}

/// Blocks in a separate thread. The thread is left behind when the time limit is exceeded, and releases a lock that it
/// gets too late.
fn wait(file: File, left: Duration) -> io::Result<Option<File>> {
    if left.is_zero() {
        return Ok(None);
    }
    let (done, result) = mpsc::channel();
    thread::Builder::new().name("lock".to_owned()).spawn(move || {
        let locked = loop {
            match file.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let _ = done.send(locked.map(|()| file));
    })?;
    match result.recv_timeout(left) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_a_child_that_is_being_started_has_a_copy_of_its_descriptor() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = lock_file(&path, Duration::ZERO).unwrap().unwrap();
        let copy = lock.file().try_clone().unwrap();
        assert!(lock_file(&path, Duration::ZERO).unwrap().is_none());
        drop(lock);
        assert!(lock_file(&path, Duration::ZERO).unwrap().is_some());
        drop(copy);
    }
}
