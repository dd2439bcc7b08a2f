//! A program in a real pseudo-terminal, and what its screen shows at which time.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Time limit for everything that is awaited.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A terminal with a program in it. Dropping it ends the program.
pub struct Screen {
    terminal: File,
    child: Child,
    output: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    /// Number of bytes that the program has written and that were interpreted.
    pub bytes: usize,
    /// When the program was started.
    pub started: Instant,
}

impl Screen {
    /// Starts a program in a new terminal of this many columns and lines.
    pub fn open(mut command: Command, (columns, lines): (u16, u16)) -> Screen {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
        grantpt(&master).expect("ours");
        unlockpt(&master).expect("ours");
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let path = ptsname(&master, Vec::new()).expect("a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave: OwnedFd = open(path, flags, Mode::empty()).expect("the other end");
        let end = || Stdio::from(slave.try_clone().expect("a descriptor"));
        command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
        let terminal = File::from(master);
        let output = read_in_thread(terminal.try_clone().expect("a descriptor"));
        let started = Instant::now();
        let child = command.spawn().unwrap_or_else(|why| panic!("cannot start {command:?}: {why}"));
        let size = |length: u16| NonZeroU16::new(length).expect("a positive size");
        let parser = vt100::Parser::new(size(lines), size(columns), 0);
        Screen { terminal, child, output, parser, bytes: 0, started }
    }

    /// Returns the process id of the program.
    pub fn pid(&self) -> i32 {
        self.child.id().try_into().expect("a process id")
    }

    /// Presses a key and returns the time.
    pub fn press(&mut self, key: &str) -> Instant {
        let pressed = Instant::now();
        self.terminal.write_all(key.as_bytes()).expect("the terminal is open");
        pressed
    }

    /// Returns when the program wrote the output after which the condition was true. Output that was not interpreted
    /// yet counts, too.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let deadline = Instant::now() + TIME_LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok((at, bytes)) = self.output.recv_timeout(left) else {
                panic!("never: {what}; the screen is:\n{}", self.parser.screen().contents());
            };
            self.interpret(&bytes);
            if is_so(self.parser.screen()) {
                return at;
            }
        }
    }

    /// Interprets everything that was written so far, and what follows within this time.
    pub fn catch_up(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        while let Ok((_, bytes)) = self.output.recv_timeout(until.saturating_duration_since(Instant::now())) {
            self.interpret(&bytes);
        }
    }

    /// Returns the screen as interpreted so far.
    pub fn shown(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    fn interpret(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.parser.process(bytes);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads in a thread of its own, so that the time of each piece does not depend on its interpretation.
fn read_in_thread(mut terminal: File) -> Receiver<(Instant, Vec<u8>)> {
    let (send, output) = channel();
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        // Reading fails when the program and its terminal are gone.
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            if send.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
    output
}

/// Returns the lines of a screen.
pub fn lines(screen: &vt100::Screen) -> Vec<String> {
    screen.rows(0, screen.size().1.get()).collect()
}

/// Returns the line of a list that is selected: the first one with a background of its own.
pub fn selected_line(screen: &vt100::Screen) -> Option<u16> {
    // The last line of a tmux client is its status line.
    let last = screen.size().0.get() - 1;
    let is_selected = |line: &u16| {
        screen.cell(*line, 4).is_some_and(|cell| cell.bgcolor() != vt100::Color::Default || cell.inverse())
    };
    (0..last).find(is_selected)
}
