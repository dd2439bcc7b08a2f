//! The guest's side of a share: shows the received output on this terminal and sends the input.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::tcgetwinsize;
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};

use super::ShareError;
use super::connect;
use super::directory::ShareDir;
use super::frame::{FrameBuffer, GuestHello, ShareFrame};
use crate::base::sanitize::is_deceptive;
use crate::base::terminal::raw_mode::RawMode;
use crate::base::terminal::{LEAVE_ALTERNATE_SCREEN, MODES_OFF};
use crate::model::AgentName;

/// Time limit for the owner's side to accept the connection or the input.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// C-b, the prefix of the detach key `C-b d`, which is the same for all attached clients.
const PREFIX: u8 = 0x02;

/// Reason why the connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The guest pressed the detach keys.
    ByKeys,
    /// The owner's side ended it, for this reason.
    Sent(String),
}

/// Attaches this terminal to an agent that its owner shares with this user, with the terminal's size at that time.
pub fn attach_as_guest(
    share_dir: &ShareDir,
    owner: u32,
    name: &AgentName,
    mut hello: GuestHello,
) -> Result<DisconnectReason, ShareError> {
    let path = share_dir.checked_socket_path(name)?;
    let mut line = connect(&path, owner)?;
    let failed = |doing| ShareError::file(doing, &path);
    let resized = signal_stream(&[SIGWINCH]).map_err(failed("watch the size for"))?;
    // On a signal, the terminal is restored before this process ends.
    let asked_to_end = signal_stream(&[SIGTERM, SIGHUP]).map_err(failed("take the terminal for"))?;
    (hello.columns, hello.rows) = size();
    if hello.write(&mut line).is_err() {
        return Ok(DisconnectReason::Sent(String::new()));
    }
    let _terminal = RawGuestTerminal::enter().map_err(failed("take the terminal for"))?;
    let mut terminal = GuestConnection { line, resized, asked_to_end, prefix: false };
    terminal.run().map_err(failed("speak to"))
}

/// Returns a stream that becomes readable when one of these signals arrives.
fn signal_stream(signals: &[i32]) -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    theirs.set_nonblocking(true)?;
    for signal in signals {
        signal_hook::low_level::pipe::register(*signal, theirs.try_clone()?)?;
    }
    Ok(ours)
}

fn connect(path: &Path, owner: u32) -> Result<UnixStream, ShareError> {
    let line = connect::connect(path, HANDSHAKE_TIMEOUT).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => ShareError::Silent { after: HANDSHAKE_TIMEOUT },
        _ => ShareError::NotShared { path: path.to_owned() },
    })?;
    // The process that created the socket may have ended, and another may listen in its place.
    match connect::listener_uid(&line) {
        Ok(uid) if uid == owner => Ok(line),
        Ok(uid) => {
            Err(ShareError::Unsafe { path: path.to_owned(), why: format!("user {uid} answers there") })
        }
        Err(error) => Err(ShareError::file("identify the process at", path)(error)),
    }
}

fn size() -> (u16, u16) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        _ => (80, 24),
    }
}

struct GuestConnection {
    line: UnixStream,
    resized: UnixStream,
    asked_to_end: UnixStream,
    prefix: bool,
}

impl GuestConnection {
    fn run(&mut self) -> io::Result<DisconnectReason> {
        let (mut out, mut buffer, mut incoming) = (io::stdout(), [0; 4096], FrameBuffer::default());
        loop {
            let stdin = io::stdin();
            let mut fds = [
                PollFd::from_borrowed_fd(self.line.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.resized.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.asked_to_end.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let [from_listener, from_keys, from_size, ends] =
                [0, 1, 2, 3].map(|at: usize| !fds[at].revents().is_empty());
            if ends {
                return Ok(DisconnectReason::Sent("terminated".into()));
            }
            if from_size {
                while io::Read::read(&mut self.resized, &mut buffer).is_ok_and(|count| count > 0) {}
                let (columns, rows) = size();
                if ShareFrame::Size(columns, rows).write(&mut self.line).is_err() {
                    return Ok(DisconnectReason::Sent(String::new()));
                }
            }
            if from_listener {
                // The connection is closed: the share was ended, has expired, or its process was killed.
                let is_open = incoming.take(&mut self.line).unwrap_or(false);
                loop {
                    match incoming.next() {
                        Ok(Some(ShareFrame::Output(bytes))) => {
                            out.write_all(&bytes)?;
                            out.flush()?;
                        }
                        Ok(Some(ShareFrame::End(why))) => return Ok(DisconnectReason::Sent(plain(&why))),
                        Ok(Some(_)) => {}
                        Ok(None) if is_open => break,
                        Ok(None) | Err(_) => return Ok(DisconnectReason::Sent(String::new())),
                    }
                }
            }
            if from_keys {
                let count = match rustix::io::read(&stdin, &mut buffer) {
                    Ok(0) | Err(rustix::io::Errno::IO) => return Ok(DisconnectReason::ByKeys),
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => 0,
                    other => other?,
                };
                let Some(typed) = self.without_prefix(&buffer[..count]) else {
                    return Ok(DisconnectReason::ByKeys);
                };
                if !typed.is_empty() && ShareFrame::Input(typed).write(&mut self.line).is_err() {
                    return Ok(DisconnectReason::Sent(String::new()));
                }
            }
        }
    }

    /// Returns the bytes to send, or `None` if the guest detaches.
    fn without_prefix(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut typed = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match (std::mem::take(&mut self.prefix), byte) {
                (true, b'd') => return None,
                (true, PREFIX) => typed.push(PREFIX),
                // No other key has a meaning after the prefix, because tmux does not interpret the guest's keys.
                (true, _) => {}
                (false, PREFIX) => self.prefix = true,
                (false, byte) => typed.push(byte),
            }
        }
        Some(typed)
    }
}

/// Sanitizes a text from the other side for one line of a terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_deceptive(*c)).take(200).collect()
}

/// The terminal of the guest in raw mode. Dropping it leaves the screen of the agent and restores the former mode.
struct RawGuestTerminal {
    _mode: RawMode,
}

impl RawGuestTerminal {
    fn enter() -> io::Result<RawGuestTerminal> {
        Ok(RawGuestTerminal { _mode: RawMode::enter()? })
    }
}

impl Drop for RawGuestTerminal {
    fn drop(&mut self) {
        let _ = write!(io::stdout(), "{LEAVE_ALTERNATE_SCREEN}{MODES_OFF}\r\n");
        let _ = io::stdout().flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_the_owner_cannot_reorder_the_line() {
        assert_eq!(plain("ended\u{202e} by\x1b[2J\n alice"), "ended by[2J alice");
    }
}
