//! Checks whether the state directory is writable by writing to it.

use std::io::Write;
use std::path::Path;

use super::{Store, StoreError};
use crate::base::atomic_file::private_temp;

/// Size of the probe file in bytes: more than a change of the registry with some hundred agents needs.
const PROBE_SIZE: usize = 64 * 1024;

/// The free space of a writable disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Number of bytes that are free for this user.
    pub free: u64,
}

/// Writes a file of 64 KiB to a state directory, waits until it is on disk, and removes it.
pub fn probe_disk(home: &Path) -> Result<DiskSpace, StoreError> {
    let written = private_temp(home, ".probe-").and_then(|mut file| {
        // Zeros would not do, because some file systems do not store them.
        file.as_file_mut().write_all(&[0x5a; PROBE_SIZE])?;
        file.as_file().sync_data()?;
        file.close()
    });
    written.map_err(StoreError::write(home))?;
    let space = rustix::fs::statvfs(home).map_err(|error| StoreError::read(home)(error.into()))?;
    Ok(DiskSpace { free: space.f_bavail.saturating_mul(space.f_frsize) })
}

impl Store {
    /// Returns the number of damaged ledgers that are kept next to the current one.
    pub fn damaged_ledgers(&self) -> usize {
        let entries = std::fs::read_dir(self.home.path()).into_iter().flatten().flatten();
        let is_kept = |name: &str| {
            name.starts_with("ledger.db.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")
        };
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kept)).count()
    }
}
