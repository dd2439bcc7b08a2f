//! A log file with a bounded size: a full file is renamed to `.1`, then to `.2`, and then deleted.
//!
//! One process writes it at a time. Readers see complete lines, because files are only renamed between two writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::read::Logs;
use crate::store::StoreError;

/// Size in bytes at which a file is full: some ten thousand lines, which an editor still opens quickly.
const MAX_LOG_BYTES: u64 = 1 << 20;
/// Number of files to keep, including the current one.
const KEPT_ROTATIONS: u32 = 3;

/// A file for appending that is rotated when it is full.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    file: File,
    size: u64,
    full: u64,
}

impl Logs<'_> {
    /// Opens the log with this name in the state directory, with mode 0600.
    pub fn open(&self, name: &str) -> Result<RotatingFile, StoreError> {
        let path = self.0.home().join(name);
        RotatingFile::open(&path, MAX_LOG_BYTES).map_err(StoreError::write(&path))
    }
}

impl RotatingFile {
    fn open(path: &Path, full: u64) -> io::Result<RotatingFile> {
        let file = appending(path)?;
        let size = file.metadata()?.len();
        Ok(RotatingFile { path: path.to_owned(), file, size, full })
    }

    /// Renames each file to the next number and deletes the oldest.
    fn rotate(&mut self) -> io::Result<()> {
        for place in (1..KEPT_ROTATIONS).rev() {
            let from = if place == 1 { self.path.clone() } else { aged(&self.path, place - 1) };
            match fs::rename(from, aged(&self.path, place)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = appending(&self.path)?;
        self.size = self.file.metadata()?.len();
        Ok(())
    }
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.size > 0 && self.size.saturating_add(bytes.len() as u64) > self.full {
            // A file that cannot be renamed is still written: a log that is too long is better than none.
            let _ = self.rotate();
        }
        let written = self.file.write(bytes)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens a file for appending. Rejects symbolic links and pipes, which would redirect the log to another place.
fn appending(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let no_follow = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file =
        options.append(true).create(true).mode(0o600).custom_flags(no_follow.bits() as i32).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if found.permissions().mode() & 0o777 != 0o600 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Returns the paths of all files of a log that may exist, oldest first.
pub(in crate::store) fn rotated_files(path: &Path) -> Vec<PathBuf> {
    let older = (1..KEPT_ROTATIONS).rev().map(|age| aged(path, age));
    older.chain([path.to_owned()]).collect()
}

fn aged(path: &Path, age: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{age}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn full_log_is_rotated_and_three_old_logs_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.log");
        let mut log = RotatingFile::open(&path, 10).unwrap();
        for n in 0..9 {
            log.write_all(format!("line{n}").as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(names(dir.path()), ["s.log", "s.log.1", "s.log.2"]);
        assert_eq!([read("s.log"), read("s.log.1"), read("s.log.2")], ["line8", "line6line7", "line4line5"]);
        log.write_all(b"a line longer than a whole file").unwrap();
        log.flush().unwrap();
        assert_eq!([read("s.log"), read("s.log.1")], ["a line longer than a whole file", "line8"]);
    }

    #[test]
    fn reopened_log_is_appended_to_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.log");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        for _ in 0..2 {
            RotatingFile::open(&path, 10).unwrap().write_all(b"new").unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "oldnewnew");
        RotatingFile::open(&path, 10).unwrap().write_all(b"more").unwrap();
        assert_eq!(names(dir.path()), ["s.log", "s.log.1"]);
        for name in names(dir.path()) {
            assert_eq!(fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn non_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = dir.path().join("elsewhere");
        std::os::unix::fs::symlink(&elsewhere, dir.path().join("link")).unwrap();
        fs::create_dir(dir.path().join("dir")).unwrap();
        for name in ["link", "dir"] {
            assert!(RotatingFile::open(&dir.path().join(name), 10).is_err(), "{name}");
        }
        assert!(!elsewhere.exists());
    }

    #[test]
    fn a_log_that_cannot_be_moved_is_still_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.log");
        let mut log = RotatingFile::open(&path, 4).unwrap();
        for aged in ["s.log.1/in the way", "s.log.2/in the way"] {
            fs::create_dir_all(dir.path().join(aged)).unwrap();
        }
        log.write_all(b"one").unwrap();
        log.write_all(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "onetwo");
    }

    #[test]
    fn the_store_opens_its_log_in_the_state_directory() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("home")).unwrap();
        Logs(&store).open("supervisor.log").unwrap().write_all(b"x").unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("home/supervisor.log")).unwrap(), "x");
    }
}
