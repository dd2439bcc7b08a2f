//! What can go wrong with the ledger, as facts: which file, what was seen. Hints are made elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the ledger could not do what it was asked. Whatever it is, no half of a change was kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file of the ledger could not be made, moved or looked at.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer symposium wrote it; it was not touched.
    #[error("{} was written by a newer symposium (version {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version it says it has.
        found: i64,
        /// The newest we know.
        known: i64,
    },
    /// What is in the file is not a ledger, or not a whole one.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// There is no room for it.
    #[error("cannot write {}: the disk is full", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// It, or the disk it is on, cannot be written.
    #[error("cannot write {}: it is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Others were writing for longer than anybody should have to wait.
    #[error("{} was held by another process for {} s", path.display(), super::file::PATIENCE.as_secs())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Anything else that SQLite refuses.
    #[error("cannot use {}: {source}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl LedgerError {
    /// What SQLite said, in our words.
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> LedgerError {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                LedgerError::Damaged { path, what: source.to_string() }
            }
            _ if is_not_ours(&source) => LedgerError::Damaged { path, what: source.to_string() },
            Some(ErrorCode::DiskFull) => LedgerError::Full { path },
            Some(ErrorCode::ReadOnly) => LedgerError::ReadOnly { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::Busy { path },
            _ => LedgerError::Failed { path, source },
        }
    }

    /// Whether a text was longer than SQLite takes or reads.
    pub(super) fn is_too_big(&self) -> bool {
        matches!(self, LedgerError::Failed { source, .. } if source.sqlite_error_code() == Some(ErrorCode::TooBig))
    }

    /// For `map_err` on what touches a file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
        move |source| LedgerError::Io { path: path.to_owned(), source }
    }
}

/// Whether SQLite can read the file but not find what we put there: it has one code for this and for our own mistakes.
fn is_not_ours(source: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(error, Some(said)) = source else { return false };
    error.extended_code == rusqlite::ffi::SQLITE_ERROR
        && (said == "unsupported file format"
            || said.starts_with("no such ")
            || said.contains("has no column"))
}
