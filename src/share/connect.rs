//! Coming to a door. Whoever listens may be anybody, who need not take what comes: so coming to it is bounded.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_peercred};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// How long a queue in front of a door of our own may take to move.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line to whoever listens there; `WouldBlock` when the queue in front of it has not moved for so long, and later
/// when what is said is not taken for so long.
pub(super) fn to(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let line = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // Linux waits for a place in the queue as long as it would wait to send.
    set_socket_timeout(&line, Timeout::Send, Some(patience))?;
    connect(&line, &SocketAddrUnix::new(path)?)?;
    Ok(line.into())
}

/// A line on which nothing is ever waited for; `WouldBlock` when there is a queue that is full.
pub(super) fn at_once(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let line = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&line, &SocketAddrUnix::new(path)?)?;
    Ok(line.into())
}

/// Whether somebody listens there.
pub(super) fn has_listener(path: &Path) -> bool {
    match to(path, PATIENCE) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}

/// The user whose process listens at the other end.
pub(super) fn listener(line: &UnixStream) -> io::Result<u32> {
    Ok(socket_peercred(line)?.uid.as_raw())
}
