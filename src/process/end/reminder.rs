//! Reminds a parent process of an ended child whose SIGCHLD it missed.

use std::io;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getppid};

use super::pidfd::{PidFd, by_number};
use crate::process::inspect::procfs;

/// Delay before the first reminder. A parent that received the signal reaps its child within a few milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Longest delay between two reminders, for a parent that is stopped.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Waits until another child of this process's parent has ended, and makes the parent reap it.
///
/// tmux 3.3a calls libutempter for each terminal that is closed. That library resets the handler of SIGCHLD while its
/// helper program runs, so the signal of a process that ends during this time is lost: the process stays a zombie, and
/// the hook `pane-died` runs only after the end of another child.
pub fn remind_parent_of(sibling: i32) -> io::Result<()> {
    let Some(parent) = getppid().map(|pid| pid.as_raw_nonzero().get()) else { return Ok(()) };
    let Some(handle) = by_number(parent)? else { return Ok(()) };
    let is_parent = || getppid().is_some_and(|pid| pid.as_raw_nonzero().get() == parent);
    wait_for_end(sibling)?;
    let mut pause = FIRST_PAUSE;
    loop {
        thread::sleep(pause);
        if !is_parent() || !procfs::is_zombie_of(sibling, parent) {
            return Ok(());
        }
        handle.signal(Signal::CHILD)?;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

fn wait_for_end(pid: i32) -> io::Result<()> {
    let Some(PidFd(handle)) = by_number(pid)? else { return Ok(()) };
    loop {
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], None) {
            Err(Errno::INTR) => {}
            ended => return Ok(ended.map(drop)?),
        }
    }
}
