//! The state directory: what lies where in it, and that it is ours alone.
//!
//! Directories that we make are 0700 under any umask. The mode of one that already exists is checked, never
//! changed: its owner may have opened it for reading on purpose.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;

/// What the registry is called.
pub(super) const REGISTRY: &str = "agent-sessions.json";

/// A state directory that was found to be ours.
#[derive(Debug, Clone)]
pub(super) struct Home(PathBuf);

impl Home {
    /// Makes what is missing and refuses what others could tamper with.
    pub(super) fn open(path: &Path) -> Result<Home, StoreError> {
        create_private(path).map_err(StoreError::home(path))?;
        check(path)?;
        let home = Home(path.to_owned());
        for inner in [home.run(), home.instances()] {
            // A full or read-only disk must not stop those who only read: who needs the directory will be told.
            if create_private(&inner).is_ok() {
                check(&inner)?;
            }
        }
        Ok(home)
    }

    /// The same for who only looks: makes nothing, and one that is not there is as good as an empty one.
    pub(super) fn found(path: &Path) -> Result<Home, StoreError> {
        let home = Home(path.to_owned());
        for dir in [path.to_owned(), home.run(), home.instances()] {
            if dir.exists() {
                check(&dir)?;
            }
        }
        Ok(home)
    }

    /// The directory itself.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The registry.
    pub(super) fn registry(&self) -> PathBuf {
        self.0.join(REGISTRY)
    }

    /// The registry before its last change.
    pub(super) fn backup(&self) -> PathBuf {
        self.0.join(format!("{REGISTRY}.bak"))
    }

    /// What writers of the registry lock.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.0.join(format!("{REGISTRY}.lock"))
    }

    /// Locks and sockets.
    pub(super) fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    /// A directory for each agent.
    pub(super) fn instances(&self) -> PathBuf {
        self.0.join("instances")
    }
}

/// Makes a directory for us alone, where state directories are put.
pub fn make_private(path: &Path) -> Result<(), StoreError> {
    create_private(path).map_err(StoreError::home(path))?;
    check(path)
}

/// Removes a whole state directory. It is out of the way at once; what was left by one that was cut short goes too.
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

/// Makes a directory 0700, its missing parents too; one that exists is left as it is.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    // A disk that does not answer writers makes `mkdir` wait even when the directory is there.
    if path.is_dir() {
        return Ok(());
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        // Only a strange umask takes away what was asked for.
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

/// Refuses a directory that is not ours, or in which others can write.
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
    fn a_missing_home_is_made_private_with_its_parents() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(&dir.path().join("a/b")).unwrap();
        for path in [&dir.path().join("a"), home.path(), &home.run(), &home.instances()] {
            assert_eq!(mode(path), 0o700, "{path:?}");
        }
    }

    #[test]
    fn a_home_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for bad in [0o770, 0o702, 0o1777] {
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(bad)).unwrap();
            match Home::open(dir.path()) {
                Err(StoreError::WritableByOthers { mode, .. }) => assert_eq!(mode, bad),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_home_that_others_can_read_is_taken_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Home::open(dir.path()).unwrap();
        assert_eq!(mode(dir.path()), 0o755);
    }

    #[test]
    fn an_inner_directory_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(dir.path()).unwrap();
        fs::set_permissions(home.run(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(Home::open(dir.path()), Err(StoreError::WritableByOthers { .. })));
    }

    #[test]
    fn a_file_in_place_of_the_home_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "").unwrap();
        assert!(matches!(Home::open(&path), Err(StoreError::NotADirectory { .. })));
        assert!(matches!(Home::open(&path.join("below")), Err(StoreError::Home { .. })));
    }

    #[test]
    fn a_home_of_somebody_else_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        // Only root can give a directory away; for others the root of the file system is somebody else's.
        let path = match std::os::unix::fs::chown(dir.path(), Some(12345), None) {
            Ok(()) => dir.path(),
            Err(_) => Path::new("/"),
        };
        assert!(matches!(Home::open(path), Err(StoreError::NotOurs { .. })));
    }
}
