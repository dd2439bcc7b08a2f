//! An agent's directory, held open: files are named relative to it, so it may be renamed at any time.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

const OURS_ALONE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A directory, held open.
#[derive(Debug)]
pub(super) struct Directory(OwnedFd);

/// The name of the log; 0 is the one that is written, higher numbers are older.
pub(super) fn log_name(number: u32) -> String {
    numbered("transcript.log", number)
}

/// The name of the index beside a log.
pub(super) fn index_name(number: u32) -> String {
    numbered("transcript.idx", number)
}

fn numbered(name: &str, number: u32) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}.{number}") }
}

impl Directory {
    /// Opens a directory.
    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Directory(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a directory inside, made when it is missing.
    pub(super) fn inside(&self, name: &str) -> io::Result<Directory> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::mkdirat(&self.0, name, Mode::RWXU) {
            // The umask may have taken some of our own rights away.
            Ok(()) => rustix::fs::chmodat(&self.0, name, Mode::RWXU, AtFlags::empty())?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Directory(rustix::fs::openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens a file to append to it, made with mode 0600 when it is missing.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        self.create(name, OFlags::APPEND)
    }

    /// Opens a file to read; none when there is none.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts new content in the place of a file, at once.
    pub(super) fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let aside = format!("{name}.new");
        self.create(&aside, OFlags::TRUNC)?.write_all(content)?;
        Ok(rustix::fs::renameat(&self.0, &aside, &self.0, name)?)
    }

    /// Moves every log and index one number up; what was number `keep` is gone.
    pub(super) fn rotate(&self, keep: u32) -> io::Result<()> {
        for name in [index_name, log_name] {
            if keep == 0 {
                none_is_fine(rustix::fs::unlinkat(&self.0, name(0), AtFlags::empty()))?;
            }
            for number in (0..keep).rev() {
                none_is_fine(rustix::fs::renameat(&self.0, name(number), &self.0, name(number + 1)))?;
            }
        }
        Ok(())
    }

    /// The highest number of a log, if there is any log.
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

    /// Whether the directory has been removed from under us.
    pub(super) fn is_removed(&self) -> io::Result<bool> {
        Ok(rustix::fs::fstat(&self.0)?.st_nlink == 0)
    }

    fn create(&self, name: &str, more: OFlags) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | more;
        let file = rustix::fs::openat(&self.0, name, flags, OURS_ALONE)?;
        rustix::fs::fchmod(&file, OURS_ALONE)?;
        Ok(File::from(file))
    }
}

fn none_is_fine(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
