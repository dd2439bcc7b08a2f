//! Finds out whether the state directory can be written, by writing to it.

use std::io::Write;
use std::path::Path;

use super::{Store, StoreError, replace_file};

/// How much is written: more than a change of the registry with some hundred agents takes.
const PROBE_SIZE: usize = 64 * 1024;

/// How a disk that can be written is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// How many bytes are free for this user.
    pub free: u64,
}

/// Writes a file of 64 KiB to a state directory, waits until the disk has it, and removes it.
pub fn probe_disk(home: &Path) -> Result<DiskSpace, StoreError> {
    let written = replace_file::private_temp(home, ".probe-").and_then(|mut file| {
        // Not zeros, which some file systems do not store.
        file.as_file_mut().write_all(&[0x5a; PROBE_SIZE])?;
        file.as_file().sync_data()?;
        file.close()
    });
    written.map_err(StoreError::write(home))?;
    let space = rustix::fs::statvfs(home).map_err(|error| StoreError::read(home)(error.into()))?;
    Ok(DiskSpace { free: space.f_bavail.saturating_mul(space.f_frsize) })
}

impl Store {
    /// How many damaged ledgers are kept beside the one that is used.
    pub fn damaged_ledgers(&self) -> usize {
        let entries = std::fs::read_dir(self.home.path()).into_iter().flatten().flatten();
        let is_kept = |name: &str| {
            name.starts_with("ledger.db.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")
        };
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kept)).count()
    }
}
