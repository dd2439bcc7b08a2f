//! Raw mode of the terminal on standard input.

use std::io;

use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// Keeps the terminal on standard input in raw mode until it is dropped.
#[derive(Debug)]
pub(crate) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Switches the terminal to raw mode.
    pub(crate) fn enter() -> io::Result<RawMode> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        Ok(RawMode { before })
    }

    /// Restores the former mode. A panic hook calls this, because a release build aborts on panic and drops nothing.
    pub(crate) fn restore(&self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        self.restore();
    }
}
