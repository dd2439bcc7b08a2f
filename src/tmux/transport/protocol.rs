//! Client for the tmux protocol, without starting the tmux program: one connection, one call, one answer.
//!
//! Until the server can have read the command, anything unexpected means that the protocol cannot be used, and the
//! caller runs the program instead. From then on it is an error, because it is unknown what the server has done.

mod handshake;
mod message;
mod session;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::process::Pid;

use crate::tmux::transport::call::{CommandOutput, TmuxCall};
use crate::tmux::{TmuxError, server::descriptors, transport::linux};
use session::{NoAnswer, ProtocolSession};

/// Newer servers read a header's length and flags as one number, which is equivalent only on little-endian machines.
const IS_SUPPORTED: bool = cfg!(target_endian = "little");

/// Time for a process to end after its connections are closed, because an exiting process closes its files first.
const SERVER_EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// Sends a call to the server. Returns `None` if the protocol cannot be used; then the server has not executed
/// anything.
pub(in crate::tmux) fn ask(socket: &Path, call: &TmuxCall<'_>) -> Result<Option<CommandOutput>, TmuxError> {
    let deadline = call.deadline();
    let Some(opening) = handshake::of(call).filter(|_| IS_SUPPORTED) else { return Ok(None) };
    let Some(line) = connect(socket) else { return Ok(None) };
    let server = linux::peer(&line);
    if let Some(server) = server {
        descriptors::acquire_start_slot(server, call.growth)?;
    }
    let odd = |output: String| Err(TmuxError::Garbled { what: call.what, output });
    match ProtocolSession::new(line, opening, call.stdin.unwrap_or_default()).run(deadline, call.meanwhile) {
        Ok(output) => Ok(Some(output)),
        Err(NoAnswer::NotAsked) => Ok(None),
        Err(NoAnswer::TimedOut) => Err(call.timed_out()),
        Err(NoAnswer::Lost) if server.is_some_and(|server| linux::ends(server, SERVER_EXIT_TIMEOUT)) => {
            Ok(Some(CommandOutput { success: false, out: Vec::new(), err: "lost server".to_owned() }))
        }
        Err(NoAnswer::Lost) => odd("nothing more, and closed the connection".to_owned()),
        Err(NoAnswer::Odd(what)) => odd(what),
    }
}

/// Returns the process that listens on this socket, whether it answers or not.
pub(in crate::tmux) fn server_of(socket: &Path) -> Option<Pid> {
    linux::peer(&connect(socket)?)
}

/// Opens a non-blocking connection. Returns `None` if the server does not listen, refuses, or has a full backlog.
fn connect(socket: &Path) -> Option<OwnedFd> {
    let address = SocketAddrUnix::new(socket).ok()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let line = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    net::connect(&line, &address).ok()?;
    Some(line)
}
