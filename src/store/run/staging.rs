//! A room for files that a command works with, which is gone with the command; what a killed one left goes with the next.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid, test_kill_process};
use tempfile::TempDir;

use crate::store::home::create_private;
use crate::store::{Store, StoreError};

/// How such a room is called, before the number of its process.
const PREFIX: &str = "_staging-";

/// A private directory, empty at first, removed when it is dropped.
#[derive(Debug)]
pub struct Staging {
    dir: TempDir,
}

impl Staging {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Store {
    /// Makes one.
    pub fn staging(&self) -> Result<Staging, StoreError> {
        let run = self.run_dir();
        create_private(&run).map_err(StoreError::write(&run))?;
        for left in left_behind(&run) {
            let _ = std::fs::remove_dir_all(left);
        }
        let own = format!("{PREFIX}{}-", getpid().as_raw_nonzero());
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(&own).permissions(Permissions::from_mode(0o700));
        let dir = builder.tempdir_in(&run).map_err(StoreError::write(&run))?;
        Ok(Staging { dir })
    }
}

/// The rooms of processes that are gone.
fn left_behind(run: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    let is_left = |name: &str| {
        let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse().ok());
        pid.and_then(Pid::from_raw).is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    };
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_left))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_goes_with_its_command_and_those_of_the_dead_with_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("home")).unwrap();
        let one = store.staging().unwrap();
        let mode = std::fs::metadata(one.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        // No process has this number: it is above what Linux gives out.
        let left = store.run_dir().join("_staging-4194305-x");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("file"), "x").unwrap();
        let two = store.staging().unwrap();
        assert!(!left.exists() && one.path().exists());
        let paths = [one.path().to_owned(), two.path().to_owned()];
        drop((one, two));
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
