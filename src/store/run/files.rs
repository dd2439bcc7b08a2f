//! Small files of running commands in `run/`. They may be lost at any time, and are never partially written.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Access, access};

use crate::store::{Store, StoreError, home, replace_file};

/// Reads and writes small files and links in `run/`.
#[derive(Debug, Clone, Copy)]
pub struct RunFiles<'a>(pub &'a Store);

impl RunFiles<'_> {
    /// Writes a small file in `run/` atomically.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        let path = run.join(name);
        replace_file::replace(&path, bytes)
    }

    /// Overwrites a small file in place, without waiting for the disk, for content that is worthless after a crash. A
    /// reader may see a partial file. Content of the same length needs no new space.
    pub fn overwrite(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.0.home.run().join(name);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(&path);
        let written = file.and_then(|file| {
            file.write_all_at(bytes, 0)?;
            file.set_len(bytes.len() as u64)
        });
        written.map_err(StoreError::write(&path))
    }

    /// Creates or replaces a symbolic link in `run/` atomically.
    pub fn link(&self, name: &str, target: &Path) -> Result<(), StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        // Several threads may replace a link at the same time. A killed process leaves a name that `sweep` removes.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (link, new) = (run.join(name), run.join(format!(".tmp-{name}-{}-{number}", std::process::id())));
        let made = symlink(target, &new).and_then(|()| fs::rename(&new, &link));
        made.map_err(|error| {
            let _ = fs::remove_file(&new);
            StoreError::write(&link)(error)
        })
    }

    /// Returns the path of a symbolic link in `run/`, if it exists, regardless of its target.
    pub fn link_path(&self, name: &str) -> Option<PathBuf> {
        let link = self.0.home.run().join(name);
        fs::read_link(&link).is_ok().then_some(link)
    }

    /// Returns the target of a symbolic link in `run/`, if it exists.
    pub fn link_target(&self, name: &str) -> Option<PathBuf> {
        fs::read_link(self.0.home.run().join(name)).ok()
    }

    /// Returns whether a link or file in `run/` can be executed.
    pub fn can_execute(&self, name: &str) -> bool {
        let path = self.0.home.run().join(name);
        access(&path, Access::EXEC_OK).is_ok() && path.is_file()
    }

    /// Returns the content of a file in `run/`, if it exists.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.0.home.run().join(name)).ok()
    }

    /// Returns whether a file with this name exists in `run/`.
    pub fn exists(&self, name: &str) -> bool {
        self.0.home.run().join(name).exists()
    }

    /// Removes a file in `run/`. A missing file is not an error.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.0.home.run().join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::write(&path)(error)),
            _ => Ok(()),
        }
    }
}
