//! What the door takes from Linux: standard input that cannot block, and waiting for a process with a bound.
//! Another system needs another file with these two functions, and nothing else.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::process::Child;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// A file that holds these bytes, in memory only: secrets never touch a disk, and no pipe can fill up.
pub(super) fn file_of(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("symposium", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// A descriptor that becomes readable when the child has ended.
pub(super) fn end_of(child: &Child) -> io::Result<OwnedFd> {
    Ok(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?)
}
