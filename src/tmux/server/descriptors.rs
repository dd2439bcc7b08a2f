//! The file descriptors of our server. Each agent costs it about two and each terminal two more; at its limit the server stops
//! answering for all agents. The server inherits the soft limit of the command that started it, often 1024. It is raised
//! towards the hard limit when it comes near, and an agent that would take the last descriptors is refused.
//!
//! The limit is not raised before it is needed, because agents inherit it from the server, and there are programs that go
//! through all descriptors that they could have. An agent is given the soft limit of the command that starts it.

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::tmux::TmuxError;
use crate::tmux::transport::call::Growth;

/// Descriptors that stay free for terminals, commands and hooks when agents are started.
const RESERVE: u64 = 32;

/// The soft limit is raised when fewer descriptors than these are left: many terminals may come before the next agent.
const HEADROOM: u64 = 128;

/// The open file descriptors of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorUse {
    /// How many are open.
    pub open: u64,
    /// How many it may have open.
    pub limit: u64,
}

impl DescriptorUse {
    /// How many more can be opened.
    pub fn left(self) -> u64 {
        self.limit.saturating_sub(self.open)
    }
}

/// The soft limit of this process, which a program that it starts would have inherited.
pub(in crate::tmux) fn own_soft_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Gives a process that the server has started the soft limit that it would have inherited from this process.
pub(in crate::tmux) fn hand_down(process: i32) {
    let Some(process) = Pid::from_raw(process) else { return };
    let (Some(limit), own) = (limit_of(process), own_soft_limit()) else { return };
    // A hard limit that is lower than this process's soft limit stays what it is.
    let wanted = lower(own, limit.maximum);
    if limit.current != wanted {
        let _ = prlimit(Some(process), Resource::Nofile, Rlimit { current: wanted, ..limit });
    }
}

/// Raises the limit of the server when few descriptors are left, and refuses another agent when that is not enough.
pub(in crate::tmux) fn make_room(server: Pid, growth: Growth) -> Result<(), TmuxError> {
    // A server that cannot be looked at is asked all the same.
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
        Some(used) if used.left() < RESERVE && growth == Growth::Pane => {
            Err(TmuxError::NoDescriptors { open: used.open, limit: used.limit })
        }
        _ => Ok(()),
    }
}

/// The lower of two limits, of which `None` is no limit.
fn lower(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    [one, other].into_iter().flatten().min()
}

/// The open descriptors of a process.
pub(in crate::tmux) fn used_by(process: Pid) -> Option<DescriptorUse> {
    let limit = limit_of(process)?.current.unwrap_or(u64::MAX);
    let open = std::fs::read_dir(format!("/proc/{}/fd", process.as_raw_nonzero())).ok()?.count();
    Some(DescriptorUse { open: u64::try_from(open).ok()?, limit })
}

/// The limits of a process, as `/proc` has them: reading them through `prlimit` would have to set them too.
fn limit_of(process: Pid) -> Option<Rlimit> {
    let text = std::fs::read_to_string(format!("/proc/{}/limits", process.as_raw_nonzero())).ok()?;
    parse_limits(&text)
}

fn parse_limits(text: &str) -> Option<Rlimit> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let mut words = line.split_whitespace();
    // `unlimited` is no number, and `None` for rustix.
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
    fn the_descriptors_of_this_process_are_counted() {
        let own = rustix::process::getpid();
        let before = used_by(own).unwrap();
        let files: Vec<_> = (0..10).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
        let after = used_by(own).unwrap();
        assert!(after.open >= before.open + 5, "{before:?} {after:?} {}", files.len());
        assert_eq!(after.limit, own_soft_limit().unwrap_or(u64::MAX));
    }
}
