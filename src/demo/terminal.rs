//! The terminal of the demo agent: raw mode while the guard exists, bracketed paste, and reading keys with a timeout.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::tcgetwinsize;

use super::keys::{DemoKey, KeyDecoder};
use crate::base::terminal::raw_mode::RawMode;

/// Time limit for the rest of an escape sequence; tmux writes a sequence in one piece.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(30);

/// A terminal in raw mode. Dropping it restores the previous modes.
pub(super) struct RawModeTerminal {
    mode: Arc<RawMode>,
    decoder: KeyDecoder,
}

/// The result of reading the keyboard.
pub(super) enum KeyboardInput {
    /// The keys that arrived; empty after a timeout.
    Keys(Vec<DemoKey>),
    /// The terminal is gone.
    Closed,
}

impl RawModeTerminal {
    /// Switches the terminal to raw mode.
    pub(super) fn enter() -> io::Result<RawModeTerminal> {
        let mode = Arc::new(RawMode::enter()?);
        restore_on_panic(Arc::clone(&mode));
        let terminal = RawModeTerminal { mode, decoder: KeyDecoder::default() };
        io::stdout().write_all(b"\x1b[?2004h")?;
        io::stdout().flush()?;
        Ok(terminal)
    }

    /// Returns the number of columns and rows.
    pub(super) fn size() -> (usize, usize) {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
            _ => (80, 24),
        }
    }

    /// Returns the next keys, or none if the timeout expires.
    pub(super) fn read(&mut self, timeout: Duration) -> io::Result<KeyboardInput> {
        let wait = if self.decoder.has_pending() { ESCAPE_TIMEOUT.min(timeout) } else { timeout };
        if !readable(wait)? {
            return Ok(KeyboardInput::Keys(self.decoder.flush_pending()));
        }
        let mut buffer = [0; 1 << 16];
        match rustix::io::read(io::stdin(), &mut buffer) {
            Ok(0) | Err(rustix::io::Errno::IO) => Ok(KeyboardInput::Closed),
            Ok(count) => Ok(KeyboardInput::Keys(self.decoder.feed(&buffer[..count]))),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(KeyboardInput::Keys(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for RawModeTerminal {
    fn drop(&mut self) {
        restore(&self.mode);
    }
}

/// Restores the terminal in the panic hook, because a release build aborts on panic and drops nothing.
fn restore_on_panic(mode: Arc<RawMode>) {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        restore(&mode);
        next(info);
    }));
}

fn restore(mode: &RawMode) {
    let _ = io::stdout().write_all(b"\x1b[?2004l\x1b[?25h");
    let _ = io::stdout().flush();
    mode.restore();
}

fn readable(wait: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut fds, Some(&wait)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
