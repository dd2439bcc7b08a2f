//! Temporary directories that are removed with their command. The next command removes those that a killed command
//! left.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid, test_kill_process};
use tempfile::TempDir;

use super::files::RunFiles;
use crate::store::StoreError;
use crate::store::home::create_private;

/// Name prefix of these directories, before the process id.
const PREFIX: &str = "_staging-";

/// A private directory, initially empty, that is removed when the value is dropped.
#[derive(Debug)]
pub struct Staging {
    dir: TempDir,
}

impl Staging {
    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl RunFiles<'_> {
    /// Creates a temporary directory, after removing those of processes that no longer exist.
    pub fn staging(&self) -> Result<Staging, StoreError> {
        let run = self.0.run_dir();
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

/// Returns the directories of processes that no longer exist.
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
    use crate::store::Store;

    #[test]
    fn staging_directory_is_removed_with_its_process_or_by_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("home")).unwrap();
        let staging = RunFiles(&store).staging().unwrap();
        let mode = std::fs::metadata(staging.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        // No process has this id: it is above the maximum on Linux.
        let left = store.run_dir().join("_staging-4194305-x");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("file"), "x").unwrap();
        let two = RunFiles(&store).staging().unwrap();
        assert!(!left.exists() && staging.path().exists());
        let paths = [staging.path().to_owned(), two.path().to_owned()];
        drop((staging, two));
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
