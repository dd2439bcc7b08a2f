//! The instance directory of one agent, `instances/NAME/`: the paths of its files, and how they are written. The
//! modules that write the files define their content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::home::create_private;
use super::{StoreError, replace_file};

/// The instance directory of one agent, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceDir {
    dir: PathBuf,
}

impl InstanceDir {
    pub(super) fn new(dir: PathBuf) -> InstanceDir {
        InstanceDir { dir }
    }

    /// Returns the path of the instance directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the path of the transcript, which contains everything that the agent printed.
    pub fn transcript(&self) -> PathBuf {
        self.dir.join("transcript.log")
    }

    /// Returns the path of the spawn manifest: the resolved spec that the agent was created from, with its record.
    pub fn spec_json(&self) -> PathBuf {
        self.dir.join("spec.json")
    }

    /// Returns the directory of small files that describe the state of the agent.
    pub fn state_dir(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// Returns the path of the scratch directory or worktree of an agent that has one.
    pub fn workspace(&self) -> PathBuf {
        self.dir.join("workspace")
    }

    /// Creates the scratch directory with mode 0700 and returns its path.
    pub fn create_workspace(&self) -> Result<PathBuf, StoreError> {
        let path = self.workspace();
        create_private(&path).map_err(StoreError::write(&path))?;
        Ok(path)
    }

    /// Returns the disk usage of the workspace in bytes.
    pub fn workspace_size(&self) -> u64 {
        crate::store::copy_files::size(&self.workspace())
    }

    /// Replaces one of our files at the top of the workspace atomically. The new file is created outside of the
    /// workspace, so that programs that watch it see neither a partial file nor another new file. A symbolic link with
    /// this name is replaced, not followed.
    pub fn replace_in_workspace(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_state(file, bytes)?;
        let target = self.workspace().join(file);
        fs::rename(self.state_dir().join(file), &target).map_err(StoreError::write(&target))
    }

    /// Creates the directory and its `state/` with mode 0700. Existing directories stay unchanged.
    pub fn create(&self) -> Result<(), StoreError> {
        create_private(&self.state_dir()).map_err(StoreError::write(&self.dir))
    }

    /// Removes the whole tree. Symbolic links in it are removed, never followed.
    pub fn remove(&self) -> Result<(), StoreError> {
        absent_is_fine(fs::remove_dir_all(&self.dir)).map_err(StoreError::write(&self.dir))
    }

    /// Moves the directory. Does nothing if it does not exist, so that a move can be repeated after a crash.
    pub fn rename_to(&self, other: &InstanceDir) -> Result<(), StoreError> {
        match fs::symlink_metadata(&self.dir) {
            Ok(_) => fs::rename(&self.dir, &other.dir).map_err(StoreError::write(&other.dir)),
            Err(error) => absent_is_fine(Err(error)).map_err(StoreError::read(&self.dir)),
        }
    }

    /// Replaces a state file atomically. Fails if the directory of the agent does not exist, and does not create it
    /// again.
    pub fn write_state(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.state_file(file).map_err(StoreError::write(&self.state_dir()))?;
        replace_file::replace(&path, bytes)
    }

    /// Returns the content of a state file, or `None` if it does not exist.
    pub fn read_state(&self, file: &str) -> io::Result<Option<Vec<u8>>> {
        match replace_file::read(&self.state_file(file)?) {
            Ok(bytes) => Ok(bytes),
            Err(StoreError::Read { source, .. }) => Err(source),
            Err(other) => Err(io::Error::other(other)),
        }
    }

    /// Returns the time when a state file was last written, or `None` if it does not exist.
    pub fn state_written(&self, file: &str) -> Option<Timestamp> {
        let written = fs::metadata(self.state_file(file).ok()?).ok()?.modified().ok()?;
        Timestamp::try_from(written).ok()
    }

    /// Removes a state file, if it exists.
    pub fn remove_state(&self, file: &str) -> Result<(), StoreError> {
        let removed = self.state_file(file).and_then(|path| absent_is_fine(fs::remove_file(path)));
        removed.map_err(StoreError::write(&self.state_dir().join(file)))
    }

    /// Replaces `spec.json`. Its member `record` is the source for rebuilding a lost registry.
    pub fn write_spec(&self, spec: &impl Serialize) -> Result<(), StoreError> {
        let path = self.spec_json();
        let text = serde_json::to_vec_pretty(spec).map_err(|error| StoreError::write(&path)(error.into()))?;
        replace_file::replace(&path, &text)
    }

    /// Returns the path of a state file. The name must be a single path component, so that it cannot lead out of the
    /// directory.
    fn state_file(&self, file: &str) -> io::Result<PathBuf> {
        if file.is_empty() || file.starts_with('.') || file.contains(['/', '\0']) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{file:?} is not a plain file name"),
            ));
        }
        Ok(self.state_dir().join(file))
    }
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn instance() -> (tempfile::TempDir, InstanceDir) {
        let dir = tempfile::tempdir().unwrap();
        let instance = InstanceDir::new(dir.path().join("instances/a"));
        instance.create().unwrap();
        (dir, instance)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_state_file_reads_back_as_it_was_written_and_only_by_us() {
        let (_dir, instance) = instance();
        assert_eq!(instance.read_state("mail").unwrap(), None);
        for text in ["one", "two"] {
            instance.write_state("mail", text.as_bytes()).unwrap();
            assert_eq!(instance.read_state("mail").unwrap().unwrap(), text.as_bytes());
        }
        assert_eq!(mode(&instance.state_dir().join("mail")), 0o600);
        assert_eq!((mode(instance.dir()), mode(&instance.state_dir())), (0o700, 0o700));
        instance.remove_state("mail").unwrap();
        instance.remove_state("mail").unwrap();
        assert_eq!(fs::read_dir(instance.state_dir()).unwrap().count(), 0);
    }

    #[test]
    fn a_state_file_cannot_lead_out_of_its_directory() {
        let (_dir, instance) = instance();
        for name in ["", "..", "../x", "/etc/passwd", ".hidden", "a\0"] {
            assert!(instance.write_state(name, b"x").is_err(), "{name:?}");
            assert!(instance.read_state(name).is_err(), "{name:?}");
            assert!(instance.remove_state(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_late_state_does_not_bring_a_removed_agent_back() {
        let (_dir, instance) = instance();
        instance.remove().unwrap();
        assert!(instance.write_state("mail", b"x").is_err());
        assert!(!instance.dir().exists());
        instance.remove().unwrap();
    }

    #[test]
    fn removal_keeps_the_targets_of_links() {
        let (dir, instance) = instance();
        let precious = dir.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("work"), "x").unwrap();
        symlink(&precious, instance.dir().join("link")).unwrap();
        instance.remove().unwrap();
        symlink(&precious, instance.dir()).unwrap();
        instance.remove().unwrap();
        assert!(precious.join("work").exists());
        assert!(fs::symlink_metadata(instance.dir()).is_err());
    }

    #[test]
    fn a_rename_can_be_done_again_and_spares_another_agent() {
        let (dir, instance) = instance();
        let other = InstanceDir::new(dir.path().join("instances/b"));
        instance.write_state("mail", b"x").unwrap();
        instance.rename_to(&other).unwrap();
        instance.rename_to(&other).unwrap();
        assert_eq!(other.read_state("mail").unwrap().unwrap(), b"x");
        instance.create().unwrap();
        assert!(instance.rename_to(&other).is_err());
        assert_eq!(other.read_state("mail").unwrap().unwrap(), b"x");
    }
}
