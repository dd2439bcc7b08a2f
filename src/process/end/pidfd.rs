//! A handle for a process that stays valid if the process id is reused (pidfd).

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::base::wait::deadline::{deadline_after, poll_until};
use crate::process::{Proc, inspect::procfs};

/// Handle for one process.
#[derive(Debug)]
pub(in crate::process) struct PidFd(pub(in crate::process) OwnedFd);

impl PidFd {
    /// Opens a handle, or returns `None` if the process has ended or its id now belongs to another process.
    pub(in crate::process) fn open(process: &Proc) -> io::Result<Option<PidFd>> {
        let Some(handle) = by_number(process.pid)? else { return Ok(None) };
        // The handle cannot change its process any more, so a matching start time proves that it is the right one.
        Ok((procfs::start(process.pid) == Some(process.start)).then_some(handle))
    }

    /// Sends a signal. Succeeds if the process has already ended.
    pub(in crate::process) fn signal(&self, signal: Signal) -> io::Result<()> {
        match pidfd_send_signal(&self.0, signal) {
            Err(Errno::SRCH) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Waits until a process has ended. Returns `false` on timeout. A zombie counts as ended.
pub fn wait_exit(pid: i32, at_most: Duration) -> io::Result<bool> {
    let Some(handle) = by_number(pid)? else { return Ok(true) };
    let mut handles = vec![handle];
    wait_all(&mut handles, deadline_after(Instant::now(), at_most))?;
    Ok(handles.is_empty())
}

/// Sends SIGTERM to a process if `still` confirms that the process id still belongs to the intended process.
pub fn ask_to_end(pid: i32, still: impl Fn() -> bool) -> io::Result<()> {
    match by_number(pid)? {
        // The handle cannot change its process any more, so the result of `still` applies to it.
        Some(handle) if still() => handle.signal(Signal::TERM),
        _ => Ok(()),
    }
}

/// Sends SIGCONT to a stopped process if `still` confirms that the process id still belongs to the intended process.
pub fn ask_to_continue(pid: i32, still: impl Fn() -> bool) -> io::Result<()> {
    match by_number(pid)? {
        Some(handle) if still() => handle.signal(Signal::CONT),
        _ => Ok(()),
    }
}

/// Kills a process if `still` confirms that the process id still belongs to the intended process, and waits for its
/// end. Returns whether it has ended.
pub fn end_at_once(pid: i32, still: impl Fn() -> bool, at_most: Duration) -> io::Result<bool> {
    let Some(handle) = by_number(pid)? else { return Ok(true) };
    if !still() {
        return Ok(true);
    }
    handle.signal(Signal::KILL)?;
    let mut handles = vec![handle];
    wait_all(&mut handles, deadline_after(Instant::now(), at_most))?;
    Ok(handles.is_empty())
}

/// Waits until all processes have ended or the time is over. Removes the handles of those that ended.
pub(in crate::process) fn wait_all(handles: &mut Vec<PidFd>, until: Instant) -> io::Result<()> {
    while !handles.is_empty() {
        let mut polled: Vec<PollFd<'_>> =
            handles.iter().map(|handle| PollFd::new(&handle.0, PollFlags::IN)).collect();
        let ready = poll_until(&mut polled, until)?;
        let mut gone = polled.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        handles.retain(|_| gone.next() != Some(true));
        if ready == 0 {
            break;
        }
    }
    Ok(())
}

/// Opens the process that currently has this id, or returns `None` if there is none.
pub(super) fn by_number(pid: i32) -> io::Result<Option<PidFd>> {
    // `from_raw` must not be called with a negative number, and the id may come from a file.
    let Some(pid) = Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw) else { return Ok(None) };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => Ok(Some(PidFd(fd))),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::testing::Child;

    #[test]
    fn wait_separates_running_from_ended_processes() {
        let child = Child::start("echo up; exec sleep 1000");
        assert!(!wait_exit(child.pid(), Duration::from_millis(1)).unwrap());
        child.kill();
        assert!(wait_exit(child.pid(), Duration::from_secs(10)).unwrap(), "a zombie counts as gone");
        let pid = child.reap();
        assert!(wait_exit(pid, Duration::from_secs(10)).unwrap());
        assert!(wait_exit(-1, Duration::ZERO).unwrap());
        assert!(wait_exit(0, Duration::ZERO).unwrap());
    }

    #[test]
    fn immediate_kill_affects_the_intended_process_only() {
        let child = Child::start("trap '' TERM HUP; echo up; exec sleep 1000");
        assert!(
            end_at_once(child.pid(), || false, Duration::ZERO).unwrap(),
            "the intended process has ended"
        );
        assert!(!wait_exit(child.pid(), Duration::from_millis(1)).unwrap());
        assert!(end_at_once(child.pid(), || true, Duration::from_secs(10)).unwrap());
        assert!(wait_exit(child.pid(), Duration::ZERO).unwrap());
        assert!(end_at_once(-1, || true, Duration::ZERO).unwrap());
    }

    #[test]
    fn reused_pid_gives_no_handle() {
        let child = Child::start("echo up; exec sleep 1000");
        let (mut process, _) = procfs::find_marked(child.pid(), child.mark()).unwrap();
        assert!(PidFd::open(&process).unwrap().is_some());
        process.start += 1;
        assert!(PidFd::open(&process).unwrap().is_none());
    }
}
