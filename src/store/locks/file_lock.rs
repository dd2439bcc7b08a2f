//! Locks on files of their own, so that the files they guard can be replaced. The system lets go of a lock when its
//! holder dies, however it dies. Waiting is bounded and does not poll.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::model::AgentName;
use crate::store::StoreError;

/// How long anybody waits for an agent: longer than most of what is done to one, short enough for a person to sit out.
pub(in crate::store) const PATIENCE: Duration = Duration::from_secs(10);

/// How long anybody waits for a registry. Each holder needs milliseconds, but on a busy machine a hundred may stand in
/// line, and not in the order in which they came.
pub(in crate::store) const QUEUE: Duration = Duration::from_secs(30);

/// A lock that does not say who holds it, for what is done in a moment.
#[derive(Debug)]
pub(in crate::store) struct PlainLock(#[expect(dead_code, reason = "held for its lock")] File);

impl PlainLock {
    /// Waits for it.
    pub(in crate::store) fn acquire(path: &Path, patience: Duration) -> Result<PlainLock, StoreError> {
        match acquire(path, patience)? {
            Some(file) => Ok(PlainLock(file)),
            None => Err(StoreError::LockTimeout { path: path.to_owned(), waited: patience }),
        }
    }
}

/// The right to change one agent; let go of when dropped.
#[derive(Debug)]
pub struct AgentLock {
    file: File,
    path: PathBuf,
}

impl AgentLock {
    /// Waits for it as long as `patience` says; `None` when somebody else kept it.
    pub(in crate::store) fn acquire(
        path: &Path,
        doing: &str,
        patience: Duration,
    ) -> Result<Option<AgentLock>, StoreError> {
        let Some(mut file) = acquire(path, patience)? else { return Ok(None) };
        // Only for people: on a full disk an agent must still be killed.
        let text = format!("{} {doing}\n", std::process::id());
        let is_clean = file.metadata().is_ok_and(|meta| meta.len() == 0);
        let emptied = if is_clean { Ok(()) } else { file.set_len(0) };
        let _ = emptied.and_then(|()| file.write_all(text.as_bytes()));
        Ok(Some(AgentLock { file, path: path.to_owned() }))
    }

    /// Lets go of an agent that is no more, and removes the lock file.
    pub fn retire(self) {
        // Who waits on the removed file notices that it is gone and makes a new one.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for AgentLock {
    fn drop(&mut self) {
        // So that nobody reads of a work that is long done. The lock itself goes with the file.
        let _ = self.file.set_len(0);
    }
}

/// What the holder of an agent's lock wrote into it.
pub(in crate::store) fn busy(path: &Path, name: &AgentName) -> StoreError {
    let text = fs::read_to_string(path).unwrap_or_default();
    let (pid, doing) = text.lines().next().and_then(|line| line.split_once(' ')).unwrap_or_default();
    let doing = if doing.is_empty() { "another process holds its lock" } else { doing };
    StoreError::AgentBusy { name: name.clone(), pid: pid.parse().ok(), doing: doing.to_owned() }
}

/// The process that holds a lock, when one does, and what it does. Looks without taking it from anybody who would
/// wait.
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

/// Whether somebody holds a lock. Looks without taking it from anybody who would wait.
pub(in crate::store) fn is_locked(path: &Path) -> bool {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The locked file, or `None` when patience ran out.
fn acquire(path: &Path, patience: Duration) -> Result<Option<File>, StoreError> {
    let deadline = Instant::now() + patience;
    loop {
        let file = open(path).map_err(StoreError::write(path))?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => {
                let left = deadline.saturating_duration_since(Instant::now());
                match wait(file, left).map_err(StoreError::lock(path))? {
                    Some(file) => file,
                    None => return Ok(None),
                }
            }
            Err(TryLockError::Error(source)) => {
                return Err(StoreError::Lock { path: path.to_owned(), source });
            }
        };
        // A lock on a file that was removed meanwhile keeps nobody out.
        if is_at(&file, path).map_err(StoreError::lock(path))? {
            return Ok(Some(file));
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)?;
    if file.metadata()?.mode() & 0o777 != 0o600 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Blocks in a thread of its own, which is left behind when time runs out and lets go of what it gets too late.
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
