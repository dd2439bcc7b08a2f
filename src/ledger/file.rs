//! The file of the ledger: how it is opened, begun, and kept aside when it is damaged.
//!
//! A new ledger is built under another name and renamed when it is whole, so that nobody ever meets half of one.
//! What begins or replaces it holds `ledger.db.lock`; what only writes into it does not.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::OFlags;

use super::LedgerError;
use super::salvage;
use super::schema::{self, VERSION};
use crate::failpoint;

/// How long anybody waits for another writer, who needs a millisecond.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How long the log may get before a writer takes it over into the file. Who opens a ledger that nobody else has open
/// reads the whole log first, half a millisecond at the median; taking it over costs some fsyncs.
const MOST_LOG: u64 = 512 << 10;

/// A row and its index entry are some hundred bytes, and the log takes whole pages: small ones keep it short.
const PAGE: i64 = 1024;

/// What SQLite keeps beside the file.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// An open ledger, and which file it is.
pub(super) struct Opened {
    pub connection: Connection,
    identity: Option<(u64, u64)>,
}

impl Opened {
    /// Whether what stands at the path now is still the file that was opened.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        identity(path) == self.identity
    }
}

/// Opens the ledger that is there; none when there is none. Changes nothing but an older version.
pub(super) fn open(path: &Path) -> Result<Option<Opened>, LedgerError> {
    let Some(identity) = identity(path) else { return Ok(None) };
    match open_this(path, identity) {
        // Another has moved it aside while we looked: what is there now is to be opened.
        Err(_) if self::identity(path) != Some(identity) => open(path),
        other => other.map(Some),
    }
}

fn open_this(path: &Path, identity: (u64, u64)) -> Result<Opened, LedgerError> {
    let said = |source| match LedgerError::of(path, source) {
        // Nobody gives it a text here, so it is one in the file that looks too long.
        error if error.is_too_big() => {
            LedgerError::Damaged { path: path.to_owned(), what: error.to_string() }
        }
        error => error,
    };
    let connection = connect(path).map_err(said)?;
    for end in BESIDE {
        let file = beside(path, end);
        if !file.exists() {
            // On a disk that cannot be written SQLite tells better what is wrong.
            let _ = private(&file);
        }
    }
    match schema::version(&connection).map_err(said)? {
        VERSION => {}
        found if found > VERSION => {
            return Err(LedgerError::Newer { path: path.to_owned(), found, known: VERSION });
        }
        0 => return Err(LedgerError::Damaged { path: path.to_owned(), what: "it is not a ledger".into() }),
        _ => schema::migrate(&connection).map_err(said)?,
    }
    Ok(Opened { connection, identity: Some(identity) })
}

/// Opens the ledger, begins one when there is none, and keeps a damaged one aside; says so when it did.
pub(super) fn open_or_begin(path: &Path, now: Timestamp) -> Result<(Opened, Option<String>), LedgerError> {
    match open(path) {
        Ok(Some(opened)) => return Ok((opened, None)),
        Ok(None) | Err(LedgerError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let _lock = lock(path)?;
    // Asked again: while we waited for the lock, another may have done it.
    let damage = match open(path) {
        Ok(Some(opened)) => return Ok((opened, None)),
        Ok(None) => None,
        Err(LedgerError::Damaged { what, .. }) => Some(what),
        Err(error) => return Err(error),
    };
    replace(path, damage.as_deref(), now)
}

/// Whether SQLite finds its file to be something that it cannot have written.
pub(super) fn is_damaged(connection: &Connection) -> bool {
    let said = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    !said.is_ok_and(|said| said == "ok")
}

/// Begins a new ledger in place of one whose damage showed only when it was used.
pub(super) fn begin_anew(
    path: &Path,
    damaged: &Opened,
    what: &str,
    now: Timestamp,
) -> Result<(Opened, Option<String>), LedgerError> {
    let _lock = lock(path)?;
    // Another may have done it while we waited for the lock.
    if !damaged.is_at(path)
        && let Some(opened) = open(path)?
    {
        return Ok((opened, None));
    }
    replace(path, Some(what), now)
}

/// Puts a new ledger in the place of what is there. The lock is held.
fn replace(
    path: &Path,
    damage: Option<&str>,
    now: Timestamp,
) -> Result<(Opened, Option<String>), LedgerError> {
    let kept = keep_aside(path, now)?;
    let saved = build(path, kept.as_deref())?;
    let opened = open(path)?.ok_or_else(|| LedgerError::Io {
        path: path.to_owned(),
        source: io::Error::new(io::ErrorKind::NotFound, "it was removed as soon as it was there"),
    })?;
    let notice = kept.map(|kept| {
        let what = damage.unwrap_or("its file was gone");
        let saved = match saved {
            0 => String::new(),
            1 => " with the one task that could be read".to_owned(),
            count => format!(" with the {count} tasks that could be read"),
        };
        format!(
            "the ledger was unusable ({what}) and was begun anew{saved}; the original is kept as {}",
            kept.display()
        )
    });
    Ok((opened, notice))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Every command is a short process: taking the log over at each end would cost it two fsyncs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // SQLite's own rule forgets, with the last process that has the ledger open, what was taken over already: short
    // processes would take all of it over again at every write.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// Whether the log has become long enough to be taken over.
pub(super) fn is_log_long(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > MOST_LOG)
}

/// Touches the log. SQLite writes it, waits for the disk and shows what was written only then, in memory: whoever was
/// woken by the write alone may have looked too early, and nothing would wake them again.
pub(super) fn announce(path: &Path) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = || Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now(), last_modification: now() };
    // Nobody depends on it: the next look comes anyway.
    let _ = utimensat(CWD, beside(path, "-wal"), &times, AtFlags::SYMLINK_NOFOLLOW);
}

/// Takes the log over into the file and empties it; says whether nobody was in the way.
pub(super) fn take_over_log(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let in_the_way = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(PATIENCE)?;
    in_the_way.map(|busy: i64| busy == 0)
}

/// Makes a new ledger, whole or not at all, and says how many tasks it took over from a damaged one. The lock is held,
/// and nothing stands at the path.
fn build(path: &Path, damaged: Option<&Path>) -> Result<usize, LedgerError> {
    let new = beside(path, ".new");
    for end in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(&new, end));
    }
    // Ours first: SQLite would make it as wide as the umask lets it, and its companions take after it.
    let file = private(&new).map_err(LedgerError::io(&new))?;
    let fill = || -> rusqlite::Result<usize> {
        let connection = Connection::open_with_flags(&new, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // One fsync below is enough for a file that nobody knows yet.
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
    // Some file systems cannot; they have promised nothing about renames either.
    let _ = path.parent().map(|dir| File::open(dir).and_then(|dir| dir.sync_all()));
    Ok(saved)
}

/// Moves what stands at the path, and what belongs to it, under a name that is free; none when nothing does.
fn keep_aside(path: &Path, now: Timestamp) -> Result<Option<PathBuf>, LedgerError> {
    // A log without its file would be taken for the new file's: it goes too, and first of all.
    let there: Vec<&str> = BESIDE
        .into_iter()
        .chain([""])
        .filter(|end| fs::symlink_metadata(beside(path, end)).is_ok())
        .collect();
    if there.is_empty() {
        return Ok(None);
    }
    let name = |n: u32| {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        beside(path, &format!(".damaged-{}{number}", now.as_second()))
    };
    let is_free =
        |kept: &PathBuf| ["", "-wal", "-shm"].iter().all(|end| identity(&beside(kept, end)).is_none());
    let kept = (1..).map(name).find(is_free).unwrap_or_else(|| name(1));
    for end in there {
        let from = beside(path, end);
        fs::rename(&from, beside(&kept, end)).map_err(LedgerError::io(&from))?;
        failpoint::reached("ledger.aside");
    }
    Ok(Some(kept))
}

/// The right to begin a ledger; the system lets go of it when its holder dies.
fn lock(path: &Path) -> Result<File, LedgerError> {
    let lock = beside(path, ".lock");
    let file = private(&lock).map_err(LedgerError::io(&lock))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                // A ledger is begun once in its life: not worth a thread that waits without asking.
                thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(LedgerError::Io { path: lock, source }),
        }
    }
}

/// A file of ours, made when it is missing; the umask may have taken even our own rights.
fn private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
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

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|there| (there.dev(), there.ino()))
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
