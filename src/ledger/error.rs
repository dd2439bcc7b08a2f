//! The errors of the ledger, as facts: the affected file and the observation. The caller adds hints for the user.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// The reason why a ledger operation failed. In every case, no part of a change was stored.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file of the ledger could not be created, moved or inspected.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// Path of the affected file.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// A newer version of symposium wrote the ledger. The file was not changed.
    #[error("{} was written by a newer version of symposium (version {found}, this version supports {known})", path.display())]
    Newer {
        /// Path of the ledger file.
        path: PathBuf,
        /// Schema version of the file.
        found: i64,
        /// Newest schema version that this program supports.
        known: i64,
    },
    /// The content of the file is not a complete ledger.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// Path of the ledger file.
        path: PathBuf,
        /// Description of the damage.
        what: String,
    },
    /// The disk is full.
    #[error("cannot write {}: the disk is full", path.display())]
    Full {
        /// Path of the ledger file.
        path: PathBuf,
    },
    /// The file or its file system is read-only.
    #[error("cannot write {}: it is read-only", path.display())]
    ReadOnly {
        /// Path of the ledger file.
        path: PathBuf,
    },
    /// Other processes held the lock for longer than the time limit.
    #[error("{} was held by another process for {} s", path.display(), super::file::BUSY_TIMEOUT.as_secs())]
    Busy {
        /// Path of the ledger file.
        path: PathBuf,
    },
    /// Any other error that SQLite reports.
    #[error("cannot use {}: {source}", path.display())]
    Failed {
        /// Path of the ledger file.
        path: PathBuf,
        /// Error that SQLite reported.
        source: rusqlite::Error,
    },
}

impl LedgerError {
    /// Converts an SQLite error to a ledger error.
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

    /// Returns whether a text exceeded the maximum length that SQLite writes or reads.
    pub(super) fn is_too_big(&self) -> bool {
        matches!(self, LedgerError::Failed { source, .. } if source.sqlite_error_code() == Some(ErrorCode::TooBig))
    }

    /// Returns a function for `map_err` on file operations.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
        move |source| LedgerError::Io { path: path.to_owned(), source }
    }
}

/// Returns whether SQLite can read the file but does not find our tables and columns in it. SQLite uses the same code
/// for this and for errors in our own statements.
fn is_not_ours(source: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(error, Some(message)) = source else { return false };
    error.extended_code == rusqlite::ffi::SQLITE_ERROR
        && (message == "unsupported file format"
            || message.starts_with("no such ")
            || message.contains("has no column"))
}
