//! Linux-specific functions of the transport: waiting for a process with a time limit, and the process that listens on
//! a socket. A port to another system replaces only this file.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::time::Timespec;

/// Returns the process at the other end of a connection, which is the one that listened for it.
pub(in crate::tmux) fn peer(line: &OwnedFd) -> Option<Pid> {
    socket_peercred(line).ok().map(|peer| peer.pid)
}

/// Returns the program file of a process. The path works while the process lives, also after the file was deleted.
pub(in crate::tmux) fn program_of(pid: i32) -> Option<PathBuf> {
    let path = PathBuf::from(format!("/proc/{pid}/exe"));
    std::fs::metadata(&path).is_ok().then_some(path)
}

/// Returns `true` if the process has ended or ends within this time.
pub(in crate::tmux) fn ends(process: Pid, within: Duration) -> bool {
    let Ok(within) = Timespec::try_from(within) else { return false };
    match pidfd_open(process, PidfdFlags::empty()) {
        Ok(end) => poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(&within)) == Ok(1),
        Err(why) => why == Errno::SRCH,
    }
}
