//! Looks at a terminal from outside: how it reads, and what waits in it unread. Must never change it.

use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr};

/// How a terminal reads, at the moment of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TtyState {
    /// Whether it hands over whole lines (and cuts each at 4095 bytes).
    pub cooked: bool,
    /// Whether it shows what is typed.
    pub echo: bool,
    /// Bytes that were typed and not read yet; in a cooked terminal only those of finished lines.
    pub queued: usize,
}

/// Looks at the terminal of a pane, `/dev/pts/N`.
pub fn tty_state(tty: &Path) -> io::Result<TtyState> {
    // Without NOCTTY a caller that has no terminal would get this one for its own.
    let terminal =
        open(tty, OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    let modes = tcgetattr(&terminal)?.local_modes;
    Ok(TtyState {
        cooked: modes.contains(LocalModes::ICANON),
        echo: modes.contains(LocalModes::ECHO),
        queued: ioctl_fionread(&terminal)?.try_into().unwrap_or(usize::MAX),
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fd::OwnedFd;
    use rustix::termios::{OptionalActions, tcsetattr};

    use super::*;

    /// A terminal of its own; the first end is what a person types into.
    fn terminal() -> (OwnedFd, PathBuf) {
        let ours = open("/dev/ptmx", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        rustix::pty::unlockpt(&ours).unwrap();
        let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
        (ours, PathBuf::from(name.to_str().unwrap()))
    }

    #[test]
    fn cooked_and_raw_terminals_are_told_apart_and_unread_input_is_counted() {
        let (typist, tty) = terminal();
        assert_eq!(tty_state(&tty).unwrap(), TtyState { cooked: true, echo: true, queued: 0 });

        let program = open(&tty, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        rustix::io::write(&typist, b"one\ntw").unwrap();
        poll(&mut [PollFd::new(&program, PollFlags::IN)], None).unwrap();
        assert_eq!(tty_state(&tty).unwrap().queued, 4, "the unfinished line does not count");

        let mut raw = tcgetattr(&program).unwrap();
        raw.make_raw();
        tcsetattr(&program, OptionalActions::Now, &raw).unwrap();
        assert_eq!(tty_state(&tty).unwrap(), TtyState { cooked: false, echo: false, queued: 6 });
    }

    #[test]
    fn what_is_no_terminal_is_an_error() {
        assert!(tty_state(Path::new("/dev/null")).is_err());
        assert!(tty_state(Path::new("/dev/pts/no-such")).is_err());
    }
}
