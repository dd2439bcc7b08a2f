//! The terminal guard: a process that puts a terminal right after the tmux server died without doing so.
//!
//! The server, not the client, switches an attached terminal to raw mode and back. A server that is killed (`kill -9`, out of
//! memory) leaves it raw, and the client ends without touching it. `agent attach` becomes that client, because programs match
//! the client's process with the terminal's, so no process of ours is left to restore anything. The guard is started before:
//! it is no child of the client, has no controlling terminal, sleeps until the server or the client ends, and ends then.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, getpgrp, getsid, pidfd_open};

use super::end::pidfd::{after, left};
use crate::base::terminal::{LEAVE_ALTERNATE_SCREEN, LineModes, MODES_OFF};

/// The word that makes our binary a terminal guard.
pub const GUARD: &str = "terminal-guard";

/// How long the guard waits for the end of a server whose client ended first and left the terminal raw. A client that was
/// killed looks the same for a moment: then the server lives and restores the terminal itself.
const SERVER_END_TIMEOUT: Duration = Duration::from_secs(1);

/// Starts the guard in the background, so that it is no child of this process. `exec` keeps the open terminal, which is
/// standard output here because a shell takes standard input from its background processes.
const START: &str = "exec \"$0\" \"$@\" &";

/// What the guard is told when it is started.
#[derive(Debug, PartialEq, Eq)]
pub struct GuardOrder {
    client: i32,
    server: i32,
    modes: LineModes,
}

impl GuardOrder {
    fn words(&self) -> [String; 4] {
        [GUARD.to_owned(), self.client.to_string(), self.server.to_string(), self.modes.to_string()]
    }

    /// Reads the arguments behind the word [`GUARD`].
    pub fn parse(words: &[String]) -> Option<GuardOrder> {
        let [client, server, modes] = words else { return None };
        let number = |text: &str| i32::from_str(text).ok().filter(|pid| *pid > 0);
        Some(GuardOrder { client: number(client)?, server: number(server)?, modes: modes.parse().ok()? })
    }
}

/// A guard that is being started.
pub struct StartingGuard(Child);

impl StartingGuard {
    /// Waits until the shell that started the guard has ended: this process will be a tmux client, which collects no child
    /// that ended before.
    pub fn wait(mut self) {
        let _ = self.0.wait();
    }
}

/// Starts the guard of the terminal at standard input, for this process as the client of a tmux server. `program` is our
/// binary by its path: a link in `/proc` would lead to tmux by the time the guard starts.
#[expect(clippy::disallowed_methods, reason = "this module starts the guard")]
pub fn start_terminal_guard(program: &Path, server: i32) -> io::Result<StartingGuard> {
    let stdin = rustix::stdio::stdin();
    let modes = LineModes::of(stdin)?;
    let client = i32::try_from(std::process::id()).map_err(io::Error::other)?;
    // A file description of its own: the guard must not wait for a terminal that takes no output.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let terminal = open("/proc/self/fd/0", flags, Mode::empty())?;
    let words = GuardOrder { client, server, modes }.words();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", START]).arg(program).args(words);
    shell.stdin(Stdio::null()).stdout(terminal).stderr(Stdio::null()).current_dir("/");
    Ok(StartingGuard(shell.spawn()?))
}

/// Is the guard until the client or the server has ended. The terminal is standard output.
pub fn guard_terminal(order: &GuardOrder) -> io::Result<()> {
    let place = Foreground { group: getpgrp(), leader: getsid(None)? };
    // Out of reach of the keys and the hangup of the terminal, and free to change it from the background.
    rustix::process::setsid()?;
    let (client, server) = (handle(order.client)?, handle(order.server)?);
    let terminal = rustix::stdio::stdout();
    wait_for_any(&[client.as_ref(), server.as_ref()], None)?;
    if LineModes::of(terminal)? == order.modes {
        return Ok(());
    }
    let until = after(Instant::now(), SERVER_END_TIMEOUT);
    let server_ended = wait_for_any(&[server.as_ref()], Some(until))?;
    if server_ended && place.is_kept() && LineModes::of(terminal)? != order.modes {
        order.modes.set(terminal)?;
        // A terminal that takes no output now shows nothing that could be put right.
        rustix::io::write(terminal, format!("{LEAVE_ALTERNATE_SCREEN}{MODES_OFF}").as_bytes())?;
    }
    Ok(())
}

/// A handle on a process; `None` if it has ended.
fn handle(pid: i32) -> io::Result<Option<OwnedFd>> {
    let Some(pid) = Pid::from_raw(pid) else { return Ok(None) };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => Ok(Some(handle)),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits until one of these processes has ended; returns whether one has when the time is over.
fn wait_for_any(handles: &[Option<&OwnedFd>], until: Option<Instant>) -> io::Result<bool> {
    if handles.iter().any(Option::is_none) {
        return Ok(true);
    }
    let mut polled: Vec<PollFd<'_>> = handles
        .iter()
        .flatten()
        .map(|handle| PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN))
        .collect();
    loop {
        let bound: Option<Timespec> = until.map(left);
        match poll(&mut polled, bound.as_ref()) {
            Err(Errno::INTR) => {}
            ready => return Ok(ready? > 0),
        }
    }
}

/// The process group of the client and the leader of its session, the shell.
struct Foreground {
    group: Pid,
    leader: Pid,
}

impl Foreground {
    /// Whether the client's group still has the terminal. Otherwise the shell, or a program that the user has started since,
    /// has set its own modes.
    fn is_kept(&self) -> bool {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.leader.as_raw_nonzero())).unwrap_or_default();
        foreground_group(&stat) == Some(self.group.as_raw_nonzero().get())
    }
}

/// The foreground process group of a terminal (`tpgid`), from the line of a process in `/proc`.
fn foreground_group(stat: &str) -> Option<i32> {
    // Its short name stands in parentheses, and may hold anything. Behind it: state, parent, group, session, terminal.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split_ascii_whitespace().nth(5)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_foreground_group_stands_behind_any_name() {
        let stat = "71 (a) b (c) S 1 71 71 34816 90 4194304 1 2";
        assert_eq!(foreground_group(stat), Some(90));
        assert_eq!(foreground_group("gone"), None);
    }
}
