//! Small files of the running commands, in `run/`: they may be lost at any time, and are never half written.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Access, access};

use crate::store::{Store, StoreError, home, replace_file};

impl Store {
    /// Writes a small file of the running commands.
    pub fn write_run(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        let path = run.join(name);
        replace_file::replace(&path, bytes)
    }

    /// Overwrites a small file in place, without waiting for the disk: for content that is worthless after a crash. A
    /// reader may see half of it. The same length needs no new space.
    pub fn overwrite_run(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.home.run().join(name);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(&path);
        let written = file.and_then(|file| {
            file.write_all_at(bytes, 0)?;
            file.set_len(bytes.len() as u64)
        });
        written.map_err(StoreError::write(&path))
    }

    /// Makes or replaces a link there at once.
    pub fn link_run(&self, name: &str, target: &Path) -> Result<(), StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        // Several threads may replace a link at once. A killed process leaves a name that `sweep` removes.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (link, new) = (run.join(name), run.join(format!(".tmp-{name}-{}-{number}", std::process::id())));
        let made = symlink(target, &new).and_then(|()| fs::rename(&new, &link));
        made.map_err(|error| {
            let _ = fs::remove_file(&new);
            StoreError::write(&link)(error)
        })
    }

    /// Where such a link is, when there is one, wherever it leads.
    pub fn run_link(&self, name: &str) -> Option<PathBuf> {
        let link = self.home.run().join(name);
        fs::read_link(&link).is_ok().then_some(link)
    }

    /// The path that such a link leads to, when there is one.
    pub fn run_link_target(&self, name: &str) -> Option<PathBuf> {
        fs::read_link(self.home.run().join(name)).ok()
    }

    /// Whether such a link, or file, can be executed.
    pub fn can_execute_run(&self, name: &str) -> bool {
        let path = self.home.run().join(name);
        access(&path, Access::EXEC_OK).is_ok() && path.is_file()
    }

    /// What such a file holds, when it is there.
    pub fn read_run(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.home.run().join(name)).ok()
    }

    /// Whether there is one.
    pub fn has_run(&self, name: &str) -> bool {
        self.home.run().join(name).exists()
    }

    /// Removes one; that there is none is fine.
    pub fn remove_run(&self, name: &str) -> Result<(), StoreError> {
        let path = self.home.run().join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::write(&path)(error)),
            _ => Ok(()),
        }
    }
}
