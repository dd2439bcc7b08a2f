//! File descriptors of our server. Each agent uses about two and each client two more; at its limit the server stops
//! answering for all agents. The server inherits the soft limit of the command that started it, often 1024. The limit
//! is raised towards the hard limit when few descriptors are left, and an agent that would use the last ones is
//! refused.
//!
//! The limit is not raised earlier, because agents inherit it from the server and some programs iterate over all
//! descriptors up to the limit. An agent gets the soft limit of the command that starts it.

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::tmux::TmuxError;
use crate::tmux::transport::call::Growth;

/// Descriptors that are reserved for clients, commands and hooks when agents are started.
const RESERVE: u64 = 32;

/// Descriptors that are reserved for commands and hooks when terminals are attached. A command uses about four while it
/// runs: with four left, tmux 3.3 answered none.
const TERMINAL_RESERVE: u64 = 16;

/// The soft limit is raised if fewer descriptors than this are left, because many clients may attach before the next
/// agent starts.
const HEADROOM: u64 = 128;

/// Number of open file descriptors of a process, and its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorUse {
    /// Number of open descriptors.
    pub open: u64,
    /// Soft limit on open descriptors.
    pub limit: u64,
}

impl DescriptorUse {
    /// Returns the number of descriptors that can still be opened.
    pub fn left(self) -> u64 {
        self.limit.saturating_sub(self.open)
    }
}

/// Returns the soft limit of this process, which a child process would inherit.
pub(in crate::tmux) fn own_soft_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Sets the soft limit of a process that the server started to the one that it would have inherited from this process.
pub(in crate::tmux) fn inherit_limit(process: i32) {
    let Some(process) = Pid::from_raw(process) else { return };
    let (Some(limit), own) = (limit_of(process), own_soft_limit()) else { return };
    // A hard limit below the soft limit of this process stays unchanged.
    let wanted = lower(own, limit.maximum);
    if limit.current != wanted {
        let _ = prlimit(Some(process), Resource::Nofile, Rlimit { current: wanted, ..limit });
    }
}

/// Raises the server's limit if few descriptors are left, and refuses another agent or terminal if that is not enough.
pub(in crate::tmux) fn acquire_start_slot(server: Pid, growth: Growth) -> Result<(), TmuxError> {
    // If the server's descriptors cannot be counted, the call proceeds.
    let Some(used) = (growth != Growth::None).then(|| used_by(server)).flatten() else { return Ok(()) };
    if used.left() >= HEADROOM {
        return Ok(());
    }
    if let Some(limit) = limit_of(server) {
        let more = Some(used.limit.saturating_mul(2).max(used.open + 2 * HEADROOM));
        let current = lower(more, limit.maximum);
        let _ = prlimit(Some(server), Resource::Nofile, Rlimit { current, ..limit });
    }
    match used_by(server) {
        Some(used) if used.left() < reserve(growth) => {
            let for_what = if growth == Growth::Pane { "agent" } else { "terminal" };
            Err(TmuxError::NoDescriptors { for_what, open: used.open, limit: used.limit })
        }
        _ => Ok(()),
    }
}

/// Returns the number of descriptors that must be left for a call.
fn reserve(growth: Growth) -> u64 {
    match growth {
        Growth::None => 0,
        Growth::Pane => RESERVE,
        Growth::Terminal => TERMINAL_RESERVE,
    }
}

/// Returns the lower of two limits. `None` means no limit.
fn lower(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    [left, right].into_iter().flatten().min()
}

/// Returns the number of open descriptors of a process and its limit.
pub(in crate::tmux) fn used_by(process: Pid) -> Option<DescriptorUse> {
    let limit = limit_of(process)?.current.unwrap_or(u64::MAX);
    let open = std::fs::read_dir(format!("/proc/{}/fd", process.as_raw_nonzero())).ok()?.count();
    Some(DescriptorUse { open: u64::try_from(open).ok()?, limit })
}

/// Reads the limits of a process from `/proc`, because reading them with `prlimit` would have to set them too.
fn limit_of(process: Pid) -> Option<Rlimit> {
    let text = std::fs::read_to_string(format!("/proc/{}/limits", process.as_raw_nonzero())).ok()?;
    parse_limits(&text)
}

fn parse_limits(text: &str) -> Option<Rlimit> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let mut words = line.split_whitespace();
    // `unlimited` does not parse as a number and becomes `None`, as rustix expects.
    let mut number = || words.next().map(|word| word.parse().ok());
    Some(Rlimit { current: number()?, maximum: number()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_kernel_writes_them() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max processes             7                    8                    processes \n\
                    Max open files            1024                 1048576              files     \n";
        let limit = parse_limits(text).unwrap();
        assert_eq!((limit.current, limit.maximum), (Some(1024), Some(1_048_576)));
        let limit = parse_limits("Max open files  1024  unlimited  files").unwrap();
        assert_eq!((limit.current, limit.maximum), (Some(1024), None));
        assert!(parse_limits("Max processes 7 8 processes").is_none());
    }

    #[test]
    fn terminals_may_use_descriptors_that_are_reserved_from_agents() {
        assert!(reserve(Growth::None) < reserve(Growth::Terminal));
        assert!(reserve(Growth::Terminal) < reserve(Growth::Pane));
    }

    #[test]
    fn the_descriptors_of_this_process_are_counted() {
        let own = rustix::process::getpid();
        let before = used_by(own).unwrap();
        let files: Vec<_> = (0..10).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
        let after = used_by(own).unwrap();
        assert!(after.open >= before.open + 5, "{before:?} {after:?} {}", files.len());
        assert_eq!(after.limit, own_soft_limit().unwrap_or(u64::MAX));
    }
}
