//! The errors of the state directory, as facts: the affected file and the observation. The caller adds hints for the
//! user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::AgentName;

/// The reason why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory, or a directory in it, could not be created or inspected.
    #[error("cannot use the directory {}: {source}", path.display())]
    Home {
        /// Path of the directory.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// The path of a directory is occupied by something else.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// Path that is not a directory.
        path: PathBuf,
    },
    /// The directory belongs to another user.
    #[error("{} belongs to user {owner}, not to us (user {us})", path.display())]
    NotOurs {
        /// Path of the directory.
        path: PathBuf,
        /// User id of its owner.
        owner: u32,
        /// User id of this process.
        us: u32,
    },
    /// The group or others may write in the directory.
    #[error("others can write in {} (mode {mode:04o})", path.display())]
    WritableByOthers {
        /// Path of the directory.
        path: PathBuf,
        /// Permission bits of the directory.
        mode: u32,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// A file could not be written; its previous content is unchanged.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// The path of a file that would be replaced is a symbolic link.
    #[error("{} is a symbolic link", path.display())]
    Symlink {
        /// Path of the link.
        path: PathBuf,
    },
    /// A directory, pipe or device is at the path of a file.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// Path that is not a regular file.
        path: PathBuf,
    },
    /// A newer version of symposium wrote the registry. It was not changed.
    #[error("{} was written by a newer version of symposium (format {found}, this version supports {known})", path.display())]
    NewerFormat {
        /// Path of the file.
        path: PathBuf,
        /// Format number of the file.
        found: u64,
        /// Newest format number that this version supports.
        known: u64,
    },
    /// The registry is damaged, and the repair failed.
    #[error("{} is damaged ({damage}) and cannot be repaired: {source}", path.display())]
    CannotRepair {
        /// Path of the registry.
        path: PathBuf,
        /// Description of the damage.
        damage: String,
        /// Error that stopped the repair.
        source: Box<StoreError>,
    },
    /// Another process held the lock for longer than the time limit.
    #[error("{} was held by another process for {} s", path.display(), waited.as_secs())]
    LockTimeout {
        /// Path of the lock file.
        path: PathBuf,
        /// Time limit that was exceeded.
        waited: Duration,
    },
    /// The file system does not support the lock.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// Path of the lock file.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// Another process holds the lock of this agent.
    #[error("agent `{name}` is busy: {doing}")]
    AgentBusy {
        /// Name of the agent.
        name: AgentName,
        /// Process id of the holder, if it could be read.
        pid: Option<i32>,
        /// Operation that the holder recorded in the lock file.
        doing: String,
    },
    /// An entry of the registry is not a valid record.
    #[error("entry `{name}` of the registry cannot be read: {source}")]
    Entry {
        /// Name of the entry.
        name: String,
        /// Error that the JSON parser reported.
        source: serde_json::Error,
    },
}

impl StoreError {
    /// Returns a function for `map_err` on operations that inspect a directory.
    pub(super) fn home(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Home { path: path.to_owned(), source }
    }

    /// Returns a function for `map_err` on operations that read a file.
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Read { path: path.to_owned(), source }
    }

    /// Returns a function for `map_err` on operations that change a file.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Write { path: path.to_owned(), source }
    }

    /// Returns a function for `map_err` on operations that lock a file.
    pub(super) fn lock(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Lock { path: path.to_owned(), source }
    }
}

/// A repair or a tolerated problem that is reported to the user once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreNotice {
    /// Description of the event, as a sentence without a full stop.
    pub what: String,
    /// Path at which the original file is kept.
    pub kept: Option<PathBuf>,
}

impl fmt::Display for StoreNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.kept {
            Some(kept) => write!(f, "; the original is kept as {}", kept.display()),
            None => Ok(()),
        }
    }
}
