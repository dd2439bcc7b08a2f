//! A handle for a process that stays valid if the process id is reused (pidfd).

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process::{Proc, inspect::procfs};

/// Handle for one process.
#[derive(Debug)]
pub(in crate::process) struct Handle(pub(in crate::process) OwnedFd);

impl Handle {
    /// Opens a handle, or returns `None` if the process has ended or its id now belongs to another process.
    pub(in crate::process) fn open(process: &Proc) -> io::Result<Option<Handle>> {
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
    wait_all(&mut handles, after(Instant::now(), at_most))?;
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
    wait_all(&mut handles, after(Instant::now(), at_most))?;
    Ok(handles.is_empty())
}

/// Waits until all processes have ended or the time is over. Removes the handles of those that ended.
pub(in crate::process) fn wait_all(handles: &mut Vec<Handle>, until: Instant) -> io::Result<()> {
    while !handles.is_empty() {
        let mut polled: Vec<PollFd<'_>> =
            handles.iter().map(|handle| PollFd::new(&handle.0, PollFlags::IN)).collect();
        let ready = match poll(&mut polled, Some(&left(until))) {
            Err(Errno::INTR) => continue,
            ready => ready?,
        };
        let mut gone = polled.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        handles.retain(|_| gone.next() != Some(true));
        if ready == 0 {
            break;
        }
    }
    Ok(())
}

/// Adds a duration to a time, or a day if the sum would overflow.
pub(in crate::process) fn after(begun: Instant, duration: Duration) -> Instant {
    begun.checked_add(duration).unwrap_or(begun + Duration::from_secs(86_400))
}

/// Returns the remaining time, or zero.
pub(in crate::process) fn left(until: Instant) -> Timespec {
    let left = until.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
}

/// Opens the process that currently has this id, or returns `None` if there is none.
pub(super) fn by_number(pid: i32) -> io::Result<Option<Handle>> {
    // `from_raw` must not be called with a negative number, and the id may come from a file.
    let Some(pid) = Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw) else { return Ok(None) };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => Ok(Some(Handle(fd))),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::testing::Child;

    #[test]
    fn waiting_tells_the_living_from_the_gone() {
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
    fn what_is_ended_at_once_is_the_one_that_is_meant() {
        let child = Child::start("trap '' TERM HUP; echo up; exec sleep 1000");
        assert!(
            end_at_once(child.pid(), || false, Duration::ZERO).unwrap(),
            "the one that was meant is gone"
        );
        assert!(!wait_exit(child.pid(), Duration::from_millis(1)).unwrap());
        assert!(end_at_once(child.pid(), || true, Duration::from_secs(10)).unwrap());
        assert!(wait_exit(child.pid(), Duration::ZERO).unwrap());
        assert!(end_at_once(-1, || true, Duration::ZERO).unwrap());
    }

    #[test]
    fn a_number_that_means_another_process_gives_no_handle() {
        let child = Child::start("echo up; exec sleep 1000");
        let (mut process, _) = procfs::one(child.pid(), child.mark()).unwrap();
        assert!(Handle::open(&process).unwrap().is_some());
        process.start += 1;
        assert!(Handle::open(&process).unwrap().is_none());
    }
}
