//! `recovered/NAME-TIMESTAMP/`: one directory for each copy of removed work. `entry.json` describes the copy;
//! `workspace/` contains files that git could not store.

use std::fs;
use std::path::{Path, PathBuf};

use super::home::create_private;
use super::{Store, StoreError, replace_file};
use crate::model::RecoveredWork;

/// Name of the file that describes a copy.
const ENTRY: &str = "entry.json";

/// Stores copies of removed work.
#[derive(Debug, Clone, Copy)]
pub struct RecoveredCopies<'a>(pub &'a Store);

impl RecoveredCopies<'_> {
    /// Creates the directory of a new copy. A number is appended to `stem` if the name is in use.
    pub fn create(&self, stem: &str) -> Result<PathBuf, StoreError> {
        let all = self.dir();
        create_private(&all).map_err(StoreError::write(&all))?;
        let names = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")));
        for path in names.map(|name| all.join(name)) {
            match fs::create_dir(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                made => return made.map(|()| path.clone()).map_err(StoreError::write(&path)),
            }
        }
        Ok(all)
    }

    /// Writes the description of a copy into its directory.
    pub fn write_description(&self, dir: &Path, work: &RecoveredWork) -> Result<(), StoreError> {
        let path = dir.join(ENTRY);
        let text = serde_json::to_vec_pretty(work).map_err(|error| StoreError::write(&path)(error.into()))?;
        replace_file::replace(&path, &text)
    }

    /// Moves a workspace into the directory of a copy and returns its new path.
    pub fn move_into(&self, workspace: &Path, dir: &Path) -> Result<PathBuf, StoreError> {
        let kept = recovered_folder(dir);
        fs::rename(workspace, &kept).map_err(StoreError::write(&kept))?;
        Ok(kept)
    }

    /// Returns all copies with their directories. Directories without a readable description are left out.
    pub fn list(&self) -> Vec<(PathBuf, RecoveredWork)> {
        let entries = fs::read_dir(self.dir()).into_iter().flatten().flatten();
        let read = |dir: PathBuf| {
            let bytes = replace_file::read(&dir.join(ENTRY)).ok().flatten()?;
            Some((dir, serde_json::from_slice(&bytes).ok()?))
        };
        entries.filter_map(|entry| read(entry.path())).collect()
    }

    /// Copies the files of a copy to a directory that must not exist. Symbolic links are copied, not followed.
    pub fn copy(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        copy_tree(from, to).map_err(StoreError::write(to))
    }

    /// Deletes the directory of a copy; symbolic links in it are removed, not followed.
    pub fn forget(&self, dir: &Path) -> Result<(), StoreError> {
        fs::remove_dir_all(dir).map_err(StoreError::write(dir))
    }

    fn dir(&self) -> PathBuf {
        self.0.home().join("recovered")
    }
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    let kind = fs::symlink_metadata(from)?.file_type();
    if kind.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if kind.is_file() {
        return fs::copy(from, to).map(drop);
    }
    // A copy of a pipe would wait for a writer, and sockets and devices have no content.
    if !kind.is_dir() {
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy_tree(&from.join(&name), &to.join(&name))?;
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Returns the directory in which a copy keeps files that git could not store.
pub fn recovered_folder(dir: &Path) -> PathBuf {
    dir.join("workspace")
}
