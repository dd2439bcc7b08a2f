//! What can go wrong with the state directory, as facts: which file, what was seen. Hints are made elsewhere.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::AgentName;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory, or one inside it, could not be made or looked at.
    #[error("cannot use the directory {}: {source}", path.display())]
    Home {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else stands where a directory of ours should be.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// What stands there.
        path: PathBuf,
    },
    /// The directory belongs to somebody else.
    #[error("{} belongs to user {owner}, not to us (user {us})", path.display())]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        us: u32,
    },
    /// Group or others may write in the directory.
    #[error("others can write in {} (mode {mode:04o})", path.display())]
    WritableByOthers {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written; what was there before is still there.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A symbolic link stands in a place where we would replace it by a file.
    #[error("{} is a symbolic link", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// A directory, pipe or device stands where a file should be.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// A newer symposium wrote the registry; it was not touched.
    #[error("{} was written by a newer symposium (format {found}, this one knows {known})", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format it says it has.
        found: u64,
        /// The newest we know.
        known: u64,
    },
    /// The registry is damaged, and mending it failed.
    #[error("{} is damaged ({damage}) and cannot be repaired: {source}", path.display())]
    CannotRepair {
        /// The registry.
        path: PathBuf,
        /// What is wrong with it.
        damage: String,
        /// What stopped the repair.
        source: Box<StoreError>,
    },
    /// Somebody held the registry's lock for too long.
    #[error("{} was held by another process for {} s", path.display(), waited.as_secs())]
    LockTimeout {
        /// The lock file.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The file system refused to lock.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else is at work on this agent.
    #[error("agent `{name}` is busy: {doing}")]
    AgentBusy {
        /// The agent.
        name: AgentName,
        /// Who holds it, when that could be read.
        pid: Option<i32>,
        /// What the holder says it is doing.
        doing: String,
    },
    /// One entry of the registry is not a record that we understand.
    #[error("entry `{name}` of the registry cannot be read: {source}")]
    Entry {
        /// The entry.
        name: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl StoreError {
    /// For `map_err` on what looks at a directory.
    pub(super) fn home(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Home { path: path.to_owned(), source }
    }

    /// For `map_err` on what reads a file.
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Read { path: path.to_owned(), source }
    }

    /// For `map_err` on what changes a file.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Write { path: path.to_owned(), source }
    }

    /// For `map_err` on what locks a file.
    pub(super) fn lock(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Lock { path: path.to_owned(), source }
    }
}

/// Something the store repaired or put up with on the way, to be told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What happened, in a sentence without a full stop.
    pub what: String,
    /// Where the original is kept.
    pub kept: Option<PathBuf>,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.kept {
            Some(kept) => write!(f, "; the original is kept as {}", kept.display()),
            None => Ok(()),
        }
    }
}
