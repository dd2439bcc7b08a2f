//! Reads a rotated log from its oldest line on, and follows it across rotations.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::store::logs::rotating_log::rotated_files;
use crate::store::{Store, StoreError};

/// A position in a log that is being written.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    /// The files that were not read completely, oldest first. The file that is being read is in front.
    files: Vec<File>,
    /// The beginning of a line whose end has not been written yet.
    partial: Vec<u8>,
}

/// Opens the log files of the state directory.
#[derive(Debug, Clone, Copy)]
pub struct Logs<'a>(pub &'a Store);

impl Logs<'_> {
    /// Opens the log with this name at its oldest line. A log that was never written is empty.
    pub fn read(&self, name: &str) -> Result<LogReader, StoreError> {
        let path = self.0.home().join(name);
        let files = rotated_files(&path).into_iter().filter_map(|path| match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            other => Some(other.map_err(StoreError::read(&path))),
        });
        let files = files.collect::<Result<_, _>>()?;
        Ok(LogReader { path, files, partial: Vec::new() })
    }
}

impl LogReader {
    /// Returns the complete lines that were added since the last call.
    pub fn new_lines(&mut self) -> Result<Vec<String>, StoreError> {
        let failed = || StoreError::read(&self.path);
        let mut bytes = std::mem::take(&mut self.partial);
        for file in &mut self.files {
            file.read_to_end(&mut bytes).map_err(failed())?;
        }
        // Only the newest file is still being written.
        let read = self.files.len().saturating_sub(1);
        self.files.drain(..read);
        if let Some(next) = self.successor() {
            self.files = vec![next];
            if let Some(file) = self.files.first_mut() {
                file.read_to_end(&mut bytes).map_err(failed())?;
            }
        }
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.partial = bytes.split_off(end);
        Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
    }

    /// Returns the file at the path of the log, if it is not the file that is being read.
    fn successor(&self) -> Option<File> {
        let there = identity(&fs::metadata(&self.path).ok()?);
        let here = self.files.last().and_then(|file| Some(identity(&file.metadata().ok()?)));
        if here == Some(there) { None } else { File::open(&self.path).ok() }
    }
}

fn identity(meta: &fs::Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_are_read_once_across_rotations() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let at = |name: &str| dir.path().join(name);
        assert_eq!(Logs(&store).read("s.log").unwrap().new_lines().unwrap(), [""; 0]);
        fs::write(at("s.log.1"), "one\n").unwrap();
        fs::write(at("s.log"), "two\nthr").unwrap();
        let mut log = Logs(&store).read("s.log").unwrap();
        assert_eq!(log.new_lines().unwrap(), ["one", "two"]);
        assert_eq!(log.new_lines().unwrap(), [""; 0]);
        File::options().append(true).open(at("s.log")).unwrap().write_all(b"ee\nfour\n").unwrap();
        fs::rename(at("s.log"), at("s.log.1")).unwrap();
        fs::write(at("s.log"), "five\n").unwrap();
        assert_eq!(log.new_lines().unwrap(), ["three", "four", "five"]);
        assert_eq!(log.new_lines().unwrap(), [""; 0]);
    }
}
