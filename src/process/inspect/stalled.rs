//! Finds child processes that make no progress because they are stopped, or because a disk does not respond.

use std::fs;

use crate::process::inspect::procfs;

/// Reason why a process makes no progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// The process was stopped by a signal or a debugger (state T).
    Stopped,
    /// One of its threads is in an uninterruptible wait for a disk (state D).
    WaitsForDisk,
}

/// A child process that makes no progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalledChild {
    /// Process id of the child.
    pub pid: i32,
    /// Reason why it makes no progress.
    pub stall: Stall,
    /// Command line of the child.
    pub args: Vec<String>,
}

/// Returns the children of a process that match `is_wanted` and make no progress at this moment. A disk also makes
/// healthy processes wait for a moment, so callers check twice.
pub fn stalled_children(parent: i32, is_wanted: impl Fn(&[String]) -> bool) -> Vec<StalledChild> {
    let stalled = |pid| {
        let args = arguments(pid);
        // An agent may have dozens of threads, so the threads of other processes are not checked.
        let stall = if is_wanted(&args) { stall_of(pid)? } else { return None };
        Some(StalledChild { pid, stall, args })
    };
    procfs::children(parent).into_iter().filter_map(stalled).collect()
}

fn stall_of(pid: i32) -> Option<Stall> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let states: Vec<char> = threads.flatten().filter_map(|thread| state(&thread.path())).collect();
    if states.iter().any(|state| matches!(state, 'T' | 't')) {
        return Some(Stall::Stopped);
    }
    states.contains(&'D').then_some(Stall::WaitsForDisk)
}

/// Returns the state letter of a thread, as `ps` shows it.
fn state(thread: &std::path::Path) -> Option<char> {
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    // The command is in parentheses and may itself contain parentheses.
    stat.rsplit_once(") ")?.1.chars().next()
}

fn arguments(pid: i32) -> Vec<String> {
    let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, kill_process};

    use super::*;
    use crate::process::testing::Child;

    #[test]
    fn a_stopped_child_is_found_and_can_be_continued() {
        let child = Child::start("echo up; exec sleep 1000");
        let pid = child.pid();
        let own = i32::try_from(std::process::id()).unwrap();
        let found = || stalled_children(own, |_| true).into_iter().find(|found| found.pid == pid);
        kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
        while found().is_none_or(|found| found.stall != Stall::Stopped) {
            std::thread::yield_now();
        }
        assert!(stalled_children(own, |args| args.is_empty()).iter().all(|found| found.pid != pid));
        crate::process::ask_to_continue(pid, || true).unwrap();
        while found().is_some_and(|found| found.stall == Stall::Stopped) {
            std::thread::yield_now();
        }
        child.kill();
    }
}
