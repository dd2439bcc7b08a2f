//! The database file of the ledger: opens it, creates it, and moves it aside if it is damaged.
//!
//! A new ledger is built under another name and renamed when it is complete, so that no process ever opens an
//! incomplete one. A process that creates or replaces the ledger holds `ledger.db.lock`; a process that only writes
//! into it does not.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::LedgerError;
use super::salvage;
use super::schema::{self, VERSION};
use crate::base::atomic_file::{directory_of, open_private, sync_directory};
use crate::base::file_lock::{FileLockError, LockedFile, lock_file};
use crate::failpoint;

/// Time limit for waiting for another writer. A write takes about a millisecond.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// Size of the write-ahead log in bytes above which a writer runs a checkpoint. The first process that opens the ledger
/// reads the whole log, half a millisecond at the median; a checkpoint costs some fsyncs.
const MAX_WAL_BYTES: u64 = 512 << 10;

/// Page size in bytes. A row and its index entry have some hundred bytes, and the log stores whole pages: small pages
/// keep it short.
const PAGE: i64 = 1024;

/// Suffixes of the files that SQLite keeps next to the database file.
const SIDE_FILES: [&str; 2] = ["-wal", "-shm"];

/// An open connection and the identity of its file.
pub(super) struct OpenLedgerFile {
    pub connection: Connection,
    identity: Option<(u64, u64)>,
}

impl OpenLedgerFile {
    /// Returns whether the path still refers to the file that was opened.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        identity(path) == self.identity
    }
}

/// Opens an existing ledger, or returns `None` if there is none. Changes nothing, except that it migrates an older
/// version.
pub(super) fn open(path: &Path) -> Result<Option<OpenLedgerFile>, LedgerError> {
    let Some(identity) = identity(path) else { return Ok(None) };
    match open_this(path, identity) {
        // Another process has moved the file aside in the meantime; open the file that is there now.
        Err(_) if self::identity(path) != Some(identity) => open(path),
        other => other.map(Some),
    }
}

fn open_this(path: &Path, identity: (u64, u64)) -> Result<OpenLedgerFile, LedgerError> {
    let result = |source| match LedgerError::of(path, source) {
        // No statement here contains a long text, so a text in the file looks too long because of damage.
        error if error.is_too_big() => {
            LedgerError::Damaged { path: path.to_owned(), what: error.to_string() }
        }
        error => error,
    };
    let connection = connect(path).map_err(result)?;
    for end in SIDE_FILES {
        let file = with_suffix(path, end);
        if !file.exists() {
            // If the file system is read-only, SQLite reports the cause better than this call would.
            let _ = open_private(&file);
        }
    }
    match schema::version(&connection).map_err(result)? {
        VERSION => {}
        found if found > VERSION => {
            return Err(LedgerError::Newer { path: path.to_owned(), found, known: VERSION });
        }
        0 => return Err(LedgerError::Damaged { path: path.to_owned(), what: "it is not a ledger".into() }),
        _ => schema::migrate(&connection).map_err(result)?,
    }
    Ok(OpenLedgerFile { connection, identity: Some(identity) })
}

/// Opens the ledger, creates it if it is missing, and replaces a damaged one. Returns a notice in the last case.
pub(super) fn open_or_begin(
    path: &Path,
    now: Timestamp,
) -> Result<(OpenLedgerFile, Option<String>), LedgerError> {
    match open(path) {
        Ok(Some(opened)) => return Ok((opened, None)),
        Ok(None) | Err(LedgerError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let _lock = lock(path)?;
    // Checked again, because another process may have created the ledger while this one waited for the lock.
    let damage = match open(path) {
        Ok(Some(opened)) => return Ok((opened, None)),
        Ok(None) => None,
        Err(LedgerError::Damaged { what, .. }) => Some(what),
        Err(error) => return Err(error),
    };
    replace(path, damage.as_deref(), now)
}

/// Returns whether SQLite's quick check finds the file malformed.
pub(super) fn is_damaged(connection: &Connection) -> bool {
    let result = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    !result.is_ok_and(|result| result == "ok")
}

/// Creates a new ledger in place of one whose damage was only found while using it.
pub(super) fn recreate(
    path: &Path,
    damaged: &OpenLedgerFile,
    what: &str,
    now: Timestamp,
) -> Result<(OpenLedgerFile, Option<String>), LedgerError> {
    let _lock = lock(path)?;
    // Another process may have replaced it while this one waited for the lock.
    if !damaged.is_at(path)
        && let Some(opened) = open(path)?
    {
        return Ok((opened, None));
    }
    replace(path, Some(what), now)
}

/// Replaces the existing files with a new ledger. The caller holds the lock.
fn replace(
    path: &Path,
    damage: Option<&str>,
    now: Timestamp,
) -> Result<(OpenLedgerFile, Option<String>), LedgerError> {
    let kept = keep_aside(path, now)?;
    let saved = build(path, kept.as_deref())?;
    let opened = open(path)?.ok_or_else(|| LedgerError::Io {
        path: path.to_owned(),
        source: io::Error::new(io::ErrorKind::NotFound, "it was removed right after it was created"),
    })?;
    let notice = kept.map(|kept| {
        let what = damage.unwrap_or("its file was missing");
        let saved = match saved {
            0 => String::new(),
            1 => " with the one task that could be read".to_owned(),
            count => format!(" with the {count} tasks that could be read"),
        };
        format!(
            "the ledger was unusable ({what}) and was created again{saved}; the original is kept as {}",
            kept.display()
        )
    });
    Ok((opened, notice))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Every command is a short process: a checkpoint at each exit would cost two fsyncs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // SQLite's automatic checkpoint forgets how far it got when the last process closes the ledger: short processes
    // would copy the whole log again at every write.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// Returns whether the write-ahead log is long enough for a checkpoint.
pub(super) fn is_log_long(path: &Path) -> bool {
    fs::metadata(with_suffix(path, "-wal")).is_ok_and(|log| log.len() > MAX_WAL_BYTES)
}

/// Updates the modification time of the write-ahead log. SQLite writes the log, waits for the disk and publishes the
/// change in shared memory only afterwards: a process that was woken by the write alone may have read too early, and
/// nothing would wake it again.
pub(super) fn announce(path: &Path) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = || Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now(), last_modification: now() };
    // Failure is harmless, because readers also check periodically.
    let _ = utimensat(CWD, with_suffix(path, "-wal"), &times, AtFlags::SYMLINK_NOFOLLOW);
}

/// Copies the write-ahead log into the database file and truncates it. Returns false if another connection prevented
/// it.
pub(super) fn take_over_log(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let in_the_way = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    in_the_way.map(|busy: i64| busy == 0)
}

/// Creates a new ledger, complete or not at all, and returns the number of tasks that it took over from a damaged one.
/// The caller holds the lock, and there is no file at the path.
fn build(path: &Path, damaged: Option<&Path>) -> Result<usize, LedgerError> {
    let new = with_suffix(path, ".new");
    for end in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(with_suffix(&new, end));
    }
    // The file is created here first: SQLite would create it with the permissions that the umask allows, and its
    // companion files inherit them.
    let file = open_private(&new).map_err(LedgerError::io(&new))?;
    let fill = || -> rusqlite::Result<usize> {
        let connection = Connection::open_with_flags(&new, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // A single fsync below is enough, because no other process knows this file yet.
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "page_size", PAGE)?;
        schema::migrate(&connection)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        let saved = damaged.map_or(0, |damaged| salvage::salvage(damaged, &connection));
        connection.close().map_err(|(_, error)| error)?;
        Ok(saved)
    };
    let saved = fill().map_err(|source| LedgerError::of(path, source))?;
    file.sync_all().map_err(LedgerError::io(&new))?;
    failpoint::reached("ledger.built");
    fs::rename(&new, path).map_err(LedgerError::io(path))?;
    failpoint::reached("ledger.begun");
    // The ledger is complete already, so an error changes nothing for the caller.
    let _ = sync_directory(directory_of(path));
    Ok(saved)
}

/// Moves the ledger and its companion files to an unused name and returns it, or `None` if there are no files.
fn keep_aside(path: &Path, now: Timestamp) -> Result<Option<PathBuf>, LedgerError> {
    // SQLite would apply a leftover log to the new database file, so the companion files are moved, too, and before the
    // database file.
    let there: Vec<&str> = SIDE_FILES
        .into_iter()
        .chain([""])
        .filter(|end| fs::symlink_metadata(with_suffix(path, end)).is_ok())
        .collect();
    if there.is_empty() {
        return Ok(None);
    }
    let name = |n: u32| {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        with_suffix(path, &format!(".damaged-{}{number}", now.as_second()))
    };
    let is_free =
        |kept: &PathBuf| ["", "-wal", "-shm"].iter().all(|end| identity(&with_suffix(kept, end)).is_none());
    let kept = (1..).map(name).find(is_free).unwrap_or_else(|| name(1));
    for end in there {
        let from = with_suffix(path, end);
        fs::rename(&from, with_suffix(&kept, end)).map_err(LedgerError::io(&from))?;
        failpoint::reached("ledger.aside");
    }
    Ok(Some(kept))
}

/// Acquires the lock for creating a ledger. The kernel releases it when its holder exits.
fn lock(path: &Path) -> Result<LockedFile, LedgerError> {
    let lock = with_suffix(path, ".lock");
    match lock_file(&lock, BUSY_TIMEOUT) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(LedgerError::Busy { path: path.to_owned() }),
        Err(FileLockError::Open(source) | FileLockError::Lock(source)) => {
            Err(LedgerError::Io { path: lock, source })
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|there| (there.dev(), there.ino()))
}

fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
