//! The layout of the state directory, and the checks that only its owner can change it.
//!
//! Directories are created with mode 0700 under any umask. The mode of an existing directory is checked, but never
//! changed: its owner may have made it readable on purpose.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;

/// File name of the registry.
pub(super) const REGISTRY: &str = "agent-sessions.json";

/// A state directory whose owner and permissions were checked.
#[derive(Debug, Clone)]
pub(super) struct StateDir(PathBuf);

impl StateDir {
    /// Creates missing directories, and rejects directories that other users could modify.
    pub(super) fn open(path: &Path) -> Result<StateDir, StoreError> {
        create_private(path).map_err(StoreError::home(path))?;
        check(path)?;
        let home = StateDir(path.to_owned());
        for inner in [home.run(), home.instances()] {
            // A full or read-only disk must not stop commands that only read. Commands that need the directory report
            // the error.
            if create_private(&inner).is_ok() {
                check(&inner)?;
            }
        }
        Ok(home)
    }

    /// Opens a state directory read-only: creates nothing, and treats a missing directory as empty.
    pub(super) fn found(path: &Path) -> Result<StateDir, StoreError> {
        let home = StateDir(path.to_owned());
        for dir in [path.to_owned(), home.run(), home.instances()] {
            if dir.exists() {
                check(&dir)?;
            }
        }
        Ok(home)
    }

    /// Returns the state directory itself.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the registry.
    pub(super) fn registry(&self) -> PathBuf {
        self.0.join(REGISTRY)
    }

    /// Returns the path of the backup, which is the registry before its last change.
    pub(super) fn backup(&self) -> PathBuf {
        self.0.join(format!("{REGISTRY}.bak"))
    }

    /// Returns the path of the file that writers of the registry lock.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.0.join(format!("{REGISTRY}.lock"))
    }

    /// Returns the directory of locks and sockets.
    pub(super) fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    /// Returns the directory that contains the instance directories.
    pub(super) fn instances(&self) -> PathBuf {
        self.0.join("instances")
    }
}

/// Creates a directory with mode 0700 for state directories, and checks its owner and permissions.
pub fn make_private(path: &Path) -> Result<(), StoreError> {
    create_private(path).map_err(StoreError::home(path))?;
    check(path)
}

/// Removes a whole state directory. It is renamed first, so that its path is free immediately; the remains of an
/// earlier interrupted removal are deleted, too.
pub fn remove_home(path: &Path) -> Result<(), StoreError> {
    let (Some(around), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let aside = around.join(format!(".removed-{}", name.to_string_lossy()));
    let gone = |path: &Path, done: io::Result<()>| match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::write(path)(error)),
        _ => Ok(()),
    };
    gone(&aside, fs::remove_dir_all(&aside))?;
    gone(path, fs::rename(path, &aside))?;
    gone(&aside, fs::remove_dir_all(&aside))
}

/// Creates a directory and its missing parents with mode 0700. An existing directory stays unchanged.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    // On a disk that does not respond to writes, `mkdir` blocks even if the directory exists.
    if path.is_dir() {
        return Ok(());
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        // Only an unusual umask removes permissions of the owner.
        Ok(()) => match fs::metadata(path)?.mode() & 0o7777 {
            0o700 => Ok(()),
            _ => fs::set_permissions(path, fs::Permissions::from_mode(0o700)),
        },
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() && !parent.exists() => {
                create_private(parent)?;
                create_private(path)
            }
            _ => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Rejects a directory that belongs to another user, or in which other users can write.
fn check(path: &Path) -> Result<(), StoreError> {
    let found = fs::metadata(path).map_err(StoreError::home(path))?;
    let us = rustix::process::geteuid().as_raw();
    let mode = found.mode() & 0o7777;
    if !found.is_dir() {
        Err(StoreError::NotADirectory { path: path.to_owned() })
    } else if found.uid() != us {
        Err(StoreError::NotOurs { path: path.to_owned(), owner: found.uid(), us })
    } else if mode & 0o022 != 0 {
        Err(StoreError::WritableByOthers { path: path.to_owned(), mode })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn missing_home_is_created_private_with_its_parents() {
        let dir = tempfile::tempdir().unwrap();
        let home = StateDir::open(&dir.path().join("a/b")).unwrap();
        for path in [&dir.path().join("a"), home.path(), &home.run(), &home.instances()] {
            assert_eq!(mode(path), 0o700, "{path:?}");
        }
    }

    #[test]
    fn a_home_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for bad in [0o770, 0o702, 0o1777] {
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(bad)).unwrap();
            match StateDir::open(dir.path()) {
                Err(StoreError::WritableByOthers { mode, .. }) => assert_eq!(mode, bad),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn home_readable_by_others_is_accepted() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        StateDir::open(dir.path()).unwrap();
        assert_eq!(mode(dir.path()), 0o755);
    }

    #[test]
    fn an_inner_directory_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = StateDir::open(dir.path()).unwrap();
        fs::set_permissions(home.run(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(StateDir::open(dir.path()), Err(StoreError::WritableByOthers { .. })));
    }

    #[test]
    fn a_file_in_place_of_the_home_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "").unwrap();
        assert!(matches!(StateDir::open(&path), Err(StoreError::NotADirectory { .. })));
        assert!(matches!(StateDir::open(&path.join("below")), Err(StoreError::Home { .. })));
    }

    #[test]
    fn home_of_another_user_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        // Only root can change the owner of a directory; for other users, the root of the file system belongs to
        // another user.
        let path = match std::os::unix::fs::chown(dir.path(), Some(12345), None) {
            Ok(()) => dir.path(),
            Err(_) => Path::new("/"),
        };
        assert!(matches!(StateDir::open(path), Err(StoreError::NotOurs { .. })));
    }
}
