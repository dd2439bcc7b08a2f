//! An agent's directory as an open descriptor. Files are opened relative to it, so the directory may be renamed at any
//! time.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

const OWNER_ONLY: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open directory descriptor.
#[derive(Debug)]
pub(super) struct TranscriptDir(OwnedFd);

/// Returns the name of a log. Number 0 is the log that is being written; higher numbers are older.
pub(super) fn log_name(number: u32) -> String {
    numbered("transcript.log", number)
}

/// Returns the name of the index that belongs to a log.
pub(super) fn index_name(number: u32) -> String {
    numbered("transcript.idx", number)
}

fn numbered(name: &str, number: u32) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}.{number}") }
}

impl TranscriptDir {
    /// Opens an existing directory.
    pub(super) fn open(path: &Path) -> io::Result<TranscriptDir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(TranscriptDir(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a subdirectory and creates it if it is missing.
    pub(super) fn inside(&self, name: &str) -> io::Result<TranscriptDir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::mkdirat(&self.0, name, Mode::RWXU) {
            // The umask may have removed permissions of the owner.
            Ok(()) => rustix::fs::chmodat(&self.0, name, Mode::RWXU, AtFlags::empty())?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(TranscriptDir(rustix::fs::openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens a file for appending and creates it with mode 0600 if it is missing.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        self.create(name, OFlags::APPEND)
    }

    /// Opens a file for reading, or returns `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the content of a file atomically.
    pub(super) fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let aside = format!("{name}.new");
        self.create(&aside, OFlags::TRUNC)?.write_all(content)?;
        Ok(rustix::fs::renameat(&self.0, &aside, &self.0, name)?)
    }

    /// Renames every log and index to the next higher number and deletes number `keep`.
    pub(super) fn rotate(&self, keep: u32) -> io::Result<()> {
        for name in [index_name, log_name] {
            if keep == 0 {
                ignore_missing(rustix::fs::unlinkat(&self.0, name(0), AtFlags::empty()))?;
            }
            for number in (0..keep).rev() {
                ignore_missing(rustix::fs::renameat(&self.0, name(number), &self.0, name(number + 1)))?;
            }
        }
        Ok(())
    }

    /// Returns the highest number of a log, or `None` if there is no log.
    pub(super) fn highest(&self) -> io::Result<Option<u32>> {
        let mut highest = None;
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            let number = match name.strip_prefix("transcript.log") {
                Some("") => Some(0),
                Some(rest) => rest.strip_prefix('.').and_then(|number| number.parse().ok()),
                None => None,
            };
            highest = highest.max(number);
        }
        Ok(highest)
    }

    /// Returns whether the directory has been deleted while it was open.
    pub(super) fn is_removed(&self) -> io::Result<bool> {
        Ok(rustix::fs::fstat(&self.0)?.st_nlink == 0)
    }

    fn create(&self, name: &str, more: OFlags) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | more;
        let file = rustix::fs::openat(&self.0, name, flags, OWNER_ONLY)?;
        rustix::fs::fchmod(&file, OWNER_ONLY)?;
        Ok(File::from(file))
    }
}

fn ignore_missing(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
