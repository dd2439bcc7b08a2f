//! A tmux server that was asked to exit and cannot, because the terminal of one of its clients is not being read.
//!
//! Its sessions are gone, but it holds the socket until all clients have exited. Such a client hangs while it writes
//! its last output to the terminal. It is killed so that a new server can start.

use std::time::Duration;

use crate::error::Error;
use crate::manager::status::TmuxObserver;
use crate::process;
use crate::tmux::Tmux;

/// How long a server may take to exit by itself, and again after its clients were killed.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// A server that is ending and waits for clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::manager) struct StuckServer {
    /// Process id of the server.
    pub(in crate::manager) pid: i32,
    /// Process ids of the clients that the server waits for, as far as they can be found.
    pub(in crate::manager) clients: Vec<i32>,
}

/// How a stuck server ended after its clients were killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerEnd {
    /// It exited by itself.
    Exited,
    /// It had to be killed.
    Killed,
}

impl StuckServer {
    /// Describes the observation in a sentence.
    pub(in crate::manager) fn description(&self) -> String {
        let clients: Vec<String> = self.clients.iter().map(ToString::to_string).collect();
        let waits_for = match clients.as_slice() {
            [] => "clients that cannot be found".to_owned(),
            [pid] => format!("a terminal that is not being read (process {pid})"),
            many => {
                format!("{} terminals that are not being read (processes {})", many.len(), many.join(", "))
            }
        };
        format!("the tmux server (process {}) was told to end and waits for {waits_for}", self.pid)
    }

    /// Describes what was ended. Returns `None` if nothing was: several agents are started at the same time, and
    /// another thread has killed the clients.
    fn report(&self, server: ServerEnd) -> Option<String> {
        let ended = match (self.clients.is_empty(), server) {
            (true, ServerEnd::Exited) => return None,
            (true, ServerEnd::Killed) => "it was killed",
            (false, _) => "they were ended",
        };
        Some(format!("{}; {ended}", self.description()))
    }
}

impl TmuxObserver<'_> {
    /// Returns the server if it is ending and has not exited within `END_TIMEOUT`.
    pub(in crate::manager) fn stuck_server(&self, tmux: &Tmux) -> Result<Option<StuckServer>, Error> {
        let Some(pid) = tmux.ending_server() else { return Ok(None) };
        let failed = Error::io("cannot inspect the tmux server");
        if process::wait_exit(pid, END_TIMEOUT).map_err(failed)? {
            return Ok(None);
        }
        let clients =
            process::tmux_clients(tmux.socket()).map_err(Error::io("cannot look for tmux clients"))?;
        Ok(Some(StuckServer { pid, clients }))
    }

    /// Kills the clients that keep a server from exiting, and the server itself if that is not enough.
    pub(in crate::manager) fn end_stuck_server(&self, tmux: &Tmux) -> Result<(), Error> {
        let Some(stuck) = self.stuck_server(tmux)? else { return Ok(()) };
        let failed = || Error::io("cannot end a tmux client");
        for client in &stuck.clients {
            let is_meant = || process::is_tmux_client(*client, tmux.socket());
            process::end_at_once(*client, is_meant, END_TIMEOUT).map_err(failed())?;
        }
        let end = if process::wait_exit(stuck.pid, END_TIMEOUT).map_err(failed())? {
            ServerEnd::Exited
        } else {
            let is_meant = || tmux.ending_server() == Some(stuck.pid);
            process::end_at_once(stuck.pid, is_meant, END_TIMEOUT).map_err(failed())?;
            ServerEnd::Killed
        };
        if let Some(report) = stuck.report(end) {
            self.0.notice(report);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_ended_is_reported() {
        let report = |clients: &[i32], end| {
            StuckServer { pid: 1, clients: clients.to_vec() }.report(end).unwrap_or_default()
        };
        let both = report(&[7], ServerEnd::Exited);
        assert!(both.ends_with("a terminal that is not being read (process 7); they were ended"), "{both}");
        assert_eq!(report(&[], ServerEnd::Exited), "");
        let server = report(&[], ServerEnd::Killed);
        assert!(server.ends_with("clients that cannot be found; it was killed"), "{server}");
    }
}
