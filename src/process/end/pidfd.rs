//! A hold on one process that no reuse of its number can move to another one (pidfd).

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process::{Proc, inspect::procfs};

/// A hold on one process.
#[derive(Debug)]
pub(in crate::process) struct Handle(pub(in crate::process) OwnedFd);

impl Handle {
    /// None when the process is gone, or its number means another one by now.
    pub(in crate::process) fn open(process: &Proc) -> io::Result<Option<Handle>> {
        let Some(handle) = by_number(process.pid)? else { return Ok(None) };
        // What the handle holds cannot change any more, so a matching start time proves that it is the one.
        Ok((procfs::start(process.pid) == Some(process.start)).then_some(handle))
    }

    /// Sends a signal; one that is gone already is no error.
    pub(in crate::process) fn signal(&self, signal: Signal) -> io::Result<()> {
        match pidfd_send_signal(&self.0, signal) {
            Err(Errno::SRCH) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Waits until a process is gone: true when it is, false when the time is over. A zombie counts as gone.
pub fn wait_exit(pid: i32, at_most: Duration) -> io::Result<bool> {
    let Some(handle) = by_number(pid)? else { return Ok(true) };
    let mut handles = vec![handle];
    wait_all(&mut handles, after(Instant::now(), at_most))?;
    Ok(handles.is_empty())
}

/// Asks a process to end, if `still` says that its number means the one that is meant.
pub fn ask_to_end(pid: i32, still: impl Fn() -> bool) -> io::Result<()> {
    match by_number(pid)? {
        // What the handle holds cannot change any more, so what holds now holds for it.
        Some(handle) if still() => handle.signal(Signal::TERM),
        _ => Ok(()),
    }
}

/// Lets a stopped process continue, if `still` says that its number means the one that is meant.
pub fn ask_to_continue(pid: i32, still: impl Fn() -> bool) -> io::Result<()> {
    match by_number(pid)? {
        Some(handle) if still() => handle.signal(Signal::CONT),
        _ => Ok(()),
    }
}

/// Ends a process without asking it, if `still` says that its number means the one that is meant; says whether it is
/// gone, which is waited for.
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

/// Waits until all are gone or the time is over; the ones that are gone are removed.
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

/// A moment later; a day later when that is beyond what can be counted.
pub(in crate::process) fn after(begun: Instant, duration: Duration) -> Instant {
    begun.checked_add(duration).unwrap_or(begun + Duration::from_secs(86_400))
}

/// The time that is left, never less than none.
pub(in crate::process) fn left(until: Instant) -> Timespec {
    let left = until.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
}

/// Opens the process that has this number now; `None` when there is none.
pub(super) fn by_number(pid: i32) -> io::Result<Option<Handle>> {
    // `from_raw` must not be given a negative number, and a file may hold any.
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
