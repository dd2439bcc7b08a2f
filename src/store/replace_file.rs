//! Reads, replaces and backs up files: never through a symbolic link, never partially, and never readable for other
//! users.
//!
//! The caller holds the lock of the registry when it replaces the registry.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::StoreError;
use super::home::StateDir;
use crate::base::atomic_file::{self, directory_of, private_temp, sync_directory};
use crate::failpoint;

/// Prefix of the temporary files of a registry. Only the holder of the registry's lock creates or removes them.
const TEMP: &str = ".agent-sessions.json.tmp-";

/// The handling of the registry that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BackupPolicy {
    /// The previous registry was valid and becomes the new backup.
    BecomesBackup,
    /// The previous registry was damaged and is kept under another name; the backup stays unchanged.
    IsKeptAside,
}

/// Returns the content of a regular file, or `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(read_open(path)?.map(|(_, _, bytes)| bytes))
}

/// Returns the open file, its metadata before it was read, and its content, or `None` if it does not exist.
pub(super) fn read_open(path: &Path) -> Result<Option<(File, fs::Metadata, Vec<u8>)>, StoreError> {
    // Without NONBLOCK, opening a named pipe would wait for its writer.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(StoreError::Symlink { path: path.to_owned() });
        }
        // Opening a socket fails with this error.
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            return Err(StoreError::NotAFile { path: path.to_owned() });
        }
        Err(source) => return Err(StoreError::Read { path: path.to_owned(), source }),
    };
    let meta = file.metadata().map_err(StoreError::read(path))?;
    if !meta.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(StoreError::read(path))?;
    Ok(Some((file, meta, bytes)))
}

/// Replaces the registry durably: after a power failure, either the old or the new one exists.
pub(super) fn replace_registry(
    home: &StateDir,
    bytes: &[u8],
    former: BackupPolicy,
) -> Result<(), StoreError> {
    let registry = home.registry();
    let failed = || StoreError::write(&registry);
    sweep(home.path());
    let mut temp = private_temp(home.path(), TEMP).map_err(failed())?;
    let file = temp.as_file_mut();
    file.write_all(bytes).map_err(failed())?;
    failpoint::reached("store.written");
    // Before the sync, so that a single wait for the disk is enough: until the rename, the backup is only a second name
    // of the same file.
    if former == BackupPolicy::BecomesBackup {
        back_up(home).map_err(StoreError::write(&home.backup()))?;
    }
    failpoint::reached("store.bak");
    temp.as_file().sync_all().map_err(failed())?;
    failpoint::reached("store.synced");
    temp.persist(&registry).map_err(|error| error.error).map_err(failed())?;
    failpoint::reached("store.renamed");
    sync_directory(home.path()).map_err(failed())
}

/// Replaces a file atomically, so that readers never see a partial file. A power failure may restore the old one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    atomic_file::replace(path, bytes).map_err(StoreError::write(path))
}

/// Replaces a file durably: after a power failure, either the old or the new one exists.
pub(super) fn replace_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    atomic_file::replace_durably(path, bytes).map_err(StoreError::write(path))
}

/// Gives a file a second name in the same directory, `NAME.SUFFIX` or the first unused `NAME.SUFFIX-N`, and returns it.
pub(super) fn keep_aside(path: &Path, suffix: &str) -> Result<PathBuf, StoreError> {
    for n in 1u32.. {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!(".{suffix}{number}"));
        let aside = PathBuf::from(aside);
        match second_name(path, &aside) {
            Ok(()) => return Ok(aside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(StoreError::Write { path: aside, source }),
        }
    }
    unreachable!("a directory cannot hold that many files")
}

/// Makes the current registry the backup. The previous backup exists until the moment it is replaced.
fn back_up(home: &StateDir) -> io::Result<()> {
    let link = home.path().join(format!("{TEMP}bak"));
    let moved = match second_name(&home.registry(), &link) {
        Ok(()) => fs::rename(&link, home.backup()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => Err(error),
    };
    // If a writer died in between, both names refer to the same file already, and such a rename leaves both.
    let _ = fs::remove_file(&link);
    moved
}

/// Creates a hard link, or a copy if the file system has no links. Never replaces an existing file.
fn second_name(path: &Path, other: &Path) -> io::Result<()> {
    match fs::hard_link(path, other) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {
            copy(path, other)
        }
        done => done,
    }
}

fn copy(path: &Path, other: &Path) -> io::Result<()> {
    let mut temp = private_temp(directory_of(other), TEMP)?;
    io::copy(&mut File::open(path)?, temp.as_file_mut())?;
    temp.as_file().sync_all()?;
    temp.persist_noclobber(other).map(drop).map_err(|error| error.error)
}

/// Removes the temporary files of a registry and returns their number. The caller holds the registry's lock.
pub(super) fn sweep(dir: &Path) -> usize {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_ours = |name: &str| name.starts_with(TEMP);
    let left = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    left.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
}
