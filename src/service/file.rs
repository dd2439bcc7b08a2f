//! Reads, replaces and removes the service file.

use std::fs;
use std::io;
use std::path::Path;

use crate::base::atomic_file::{directory_of, replace_durably};

/// Returns the contents of the file, or `None` if it does not exist.
pub fn installed(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the file and creates its parent directories. A symbolic link in its place is replaced, never followed.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(directory_of(path))?;
    replace_durably(path, text.as_bytes())
}

/// Removes the file. Returns whether it existed.
pub fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_read_replaced_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/symposium.service");
        assert_eq!(installed(&path).unwrap(), None);
        assert!(!remove(&path).unwrap());
        for text in ["one", "two"] {
            write(&path, text).unwrap();
            assert_eq!(installed(&path).unwrap().as_deref(), Some(text));
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert!(remove(&path).unwrap());
    }

    #[test]
    fn symbolic_link_at_the_target_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (precious, path) = (dir.path().join("precious"), dir.path().join("symposium.service"));
        fs::write(&precious, "x").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        write(&path, "unit").unwrap();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "x");
    }
}
