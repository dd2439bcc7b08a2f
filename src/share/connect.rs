//! Connects to the socket of a share. The listener may belong to any user and need not accept anything, so all waits
//! have a time limit.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_peercred};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

/// Time limit for a connection to a listener of our own.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Connects to the listener. Fails with `WouldBlock` if the backlog has been full for this time, and later if sent data
/// is not accepted for this time.
pub(super) fn connect(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    let line = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // On Linux the send timeout also limits the wait for a place in the backlog.
    set_socket_timeout(&line, Timeout::Send, Some(timeout))?;
    rustix::net::connect(&line, &SocketAddrUnix::new(path)?)?;
    Ok(line.into())
}

/// Opens a non-blocking connection. Fails with `WouldBlock` if the backlog is full.
pub(super) fn connect_now(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let line = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&line, &SocketAddrUnix::new(path)?)?;
    Ok(line.into())
}

/// Returns `true` if a process listens on the socket.
pub(super) fn has_listener(path: &Path) -> bool {
    match connect(path, CONNECT_TIMEOUT) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}

/// Returns the user id of the process that listens at the other end.
pub(super) fn listener_uid(line: &UnixStream) -> io::Result<u32> {
    Ok(socket_peercred(line)?.uid.as_raw())
}
