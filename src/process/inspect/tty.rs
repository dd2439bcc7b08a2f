//! Inspects a terminal from outside: its input modes and unread input. Never changes it.

use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr};
use rustix::time::Timespec;

/// Input modes of a terminal at the time of inspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TtyState {
    /// Whether it delivers whole lines and truncates each at 4095 bytes.
    pub cooked: bool,
    /// Whether it echoes input.
    pub echo: bool,
    /// Number of bytes that were typed and not read yet. In cooked mode, only bytes of complete lines count.
    pub queued: usize,
}

/// Inspects the terminal of a pane, `/dev/pts/N`.
pub fn tty_state(tty: &Path) -> io::Result<TtyState> {
    // Without NOCTTY this terminal would become the controlling terminal of a caller that has none.
    let terminal =
        open(tty, OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    let modes = tcgetattr(&terminal)?.local_modes;
    Ok(TtyState {
        cooked: modes.contains(LocalModes::ICANON),
        echo: modes.contains(LocalModes::ECHO),
        queued: ioctl_fionread(&terminal)?.try_into().unwrap_or(usize::MAX),
    })
}

/// Returns `true` if a terminal accepts no output for this whole time, because the program that displays it has stopped
/// reading. A terminal without any output cannot be recognised in this way.
pub fn takes_no_output(tty: &Path, during: Duration) -> bool {
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let (Ok(terminal), Ok(during)) = (open(tty, flags, Mode::empty()), Timespec::try_from(during)) else {
        return false;
    };
    poll(&mut [PollFd::new(&terminal, PollFlags::OUT)], Some(&during)) == Ok(0)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rustix::fd::OwnedFd;
    use rustix::termios::{OptionalActions, tcsetattr};

    use super::*;

    /// Creates a terminal. The first value is its master end, which receives the user's input.
    fn terminal() -> (OwnedFd, PathBuf) {
        let ours = open("/dev/ptmx", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        rustix::pty::unlockpt(&ours).unwrap();
        let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
        (ours, PathBuf::from(name.to_str().unwrap()))
    }

    #[test]
    fn cooked_and_raw_terminals_differ_and_unread_input_is_counted() {
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
    fn a_terminal_that_is_not_being_read_takes_no_output_when_it_is_full() {
        let (reader, tty) = terminal();
        let program = open(&tty, OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty()).unwrap();
        let moment = Duration::from_millis(1);
        assert!(!takes_no_output(&tty, moment));
        // The kernel moves some of the data on, which makes room again.
        while !takes_no_output(&tty, Duration::from_millis(50)) {
            while rustix::io::write(&program, &[b'x'; 1024]).is_ok() {}
        }
        let mut buffer = [0; 1 << 16];
        while takes_no_output(&tty, moment) {
            rustix::io::read(&reader, &mut buffer).unwrap();
        }
        assert!(!takes_no_output(Path::new("/dev/pts/no-such"), moment));
    }

    #[test]
    fn missing_terminal_is_an_error() {
        assert!(tty_state(Path::new("/dev/null")).is_err());
        assert!(tty_state(Path::new("/dev/pts/no-such")).is_err());
    }
}
