//! The thread that reads the keyboard, the mouse, changes of the size and signals. It sleeps until one of them arrives,
//! and reads nothing while another program has the terminal.
//!
//! - `decoder`: keys, mouse events and pasted text from bytes (pure)
//! - `sequence`: the keys of control sequences (pure)

mod decoder;
mod sequence;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::low_level::pipe;

use crate::dashboard::app::LoopEvent;
use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::terminal::FullScreen;
use decoder::InputDecoder;

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;
/// How long the rest of a control sequence may take. A terminal sends it at once, and SSH may split it; tmux 3.5 waits
/// as long by default.
const SEQUENCE_TIMEOUT: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Controls the thread.
pub(crate) struct InputThread {
    wake: UnixStream,
    is_paused: Arc<AtomicBool>,
    paused: Receiver<()>,
}

impl InputThread {
    /// Starts the thread, which sends what it reads.
    pub(crate) fn start(events: Sender<LoopEvent>) -> io::Result<InputThread> {
        let (wake, woken) = UnixStream::pair()?;
        let (resized, tell_size) = UnixStream::pair()?;
        let (ended, tell_end) = UnixStream::pair()?;
        pipe::register(SIGWINCH, tell_size)?;
        pipe::register(SIGTERM, tell_end.try_clone()?)?;
        pipe::register(SIGHUP, tell_end)?;
        let (interrupted, tell_interrupt) = UnixStream::pair()?;
        pipe::register(SIGINT, tell_interrupt.try_clone()?)?;
        pipe::register(SIGQUIT, tell_interrupt)?;
        for stream in [&woken, &resized, &ended, &interrupted] {
            stream.set_nonblocking(true)?;
        }
        let is_paused = Arc::new(AtomicBool::new(false));
        let (tell_paused, paused) = channel();
        let source = InputSource {
            woken,
            resized,
            ended,
            interrupted,
            is_paused: Arc::clone(&is_paused),
            tell_paused,
            events,
            decoder: InputDecoder::default(),
        };
        thread::Builder::new().name("input".into()).spawn(move || source.run().unwrap_or(()))?;
        Ok(InputThread { wake, is_paused, paused })
    }

    /// Stops reading. Returns when it is certain that nothing is read any more.
    pub(crate) fn pause(&mut self) {
        self.is_paused.store(true, Ordering::SeqCst);
        if self.wake.write_all(b"p").is_ok() {
            let _ = self.paused.recv();
        }
    }

    /// Continues to read.
    pub(crate) fn resume(&mut self) {
        self.is_paused.store(false, Ordering::SeqCst);
        let _ = self.wake.write_all(b"r");
    }
}

/// The sources that have input.
struct ReadySources {
    is_woken: bool,
    is_resized: bool,
    is_ended: bool,
    is_interrupted: bool,
    is_typed: bool,
    /// Whether reading was paused while these sources were waited for.
    was_paused: bool,
}

impl ReadySources {
    /// Returns whether the wait timed out.
    fn is_none(&self) -> bool {
        !(self.is_woken || self.is_resized || self.is_ended || self.is_interrupted || self.is_typed)
    }
}

struct InputSource {
    woken: UnixStream,
    resized: UnixStream,
    ended: UnixStream,
    /// SIGINT and SIGQUIT, which the keyboard sends while another program uses the terminal.
    interrupted: UnixStream,
    is_paused: Arc<AtomicBool>,
    tell_paused: Sender<()>,
    events: Sender<LoopEvent>,
    decoder: InputDecoder,
}

impl InputSource {
    /// Reads until the dashboard or the terminal is gone.
    fn run(mut self) -> Result<(), ()> {
        loop {
            let ready = self.wait().map_err(drop)?;
            if ready.is_woken {
                drain(&mut self.woken);
                if self.is_paused.load(Ordering::SeqCst) {
                    self.decoder.clear();
                    self.tell_paused.send(()).map_err(drop)?;
                    continue;
                }
            }
            if ready.is_interrupted {
                drain(&mut self.interrupted);
            }
            // A key that interrupts another program is not for the dashboard.
            if ready.is_ended || (ready.is_interrupted && !ready.was_paused) {
                return self.events.send(LoopEvent::Quit).map_err(drop);
            }
            if ready.is_resized {
                drain(&mut self.resized);
                let (width, height) = FullScreen::size();
                self.send(DashboardEvent::Resized(width, height))?;
            }
            if ready.is_typed && !self.is_paused.load(Ordering::SeqCst) {
                self.read_some()?;
            } else if ready.is_none()
                && let Some(event) = self.decoder.flush()
            {
                // The rest of a sequence did not follow.
                self.send(event)?;
            }
        }
    }

    /// Waits for input, and returns which sources have some. The keyboard is left to another program during a pause.
    fn wait(&self) -> io::Result<ReadySources> {
        let was_paused = self.is_paused.load(Ordering::SeqCst);
        let stdin = rustix::stdio::stdin();
        let mut sources = vec![
            PollFd::new(&self.woken, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
            PollFd::new(&self.ended, PollFlags::IN),
            PollFd::new(&self.interrupted, PollFlags::IN),
        ];
        if !was_paused {
            sources.push(PollFd::new(&stdin, PollFlags::IN));
        }
        let timeout = self.decoder.is_waiting().then_some(&SEQUENCE_TIMEOUT);
        rustix::io::retry_on_intr(|| poll(&mut sources, timeout))?;
        let is_ready =
            |at: usize| sources.get(at).is_some_and(|source: &PollFd<'_>| !source.revents().is_empty());
        Ok(ReadySources {
            is_woken: is_ready(0),
            is_resized: is_ready(1),
            is_ended: is_ready(2),
            is_interrupted: is_ready(3),
            is_typed: is_ready(4),
            was_paused,
        })
    }

    /// Reads what has arrived. The rest of a long input is read in the next turn.
    fn read_some(&mut self) -> Result<(), ()> {
        let mut some = [0; READ_BYTES];
        let events = match rustix::io::read(rustix::stdio::stdin(), &mut some) {
            Err(Errno::INTR | Errno::AGAIN) => return Ok(()),
            // The terminal was closed.
            Ok(0) | Err(_) => return self.events.send(LoopEvent::Quit).map_err(drop).and(Err(())),
            Ok(count) => self.decoder.push(&some[..count]),
        };
        events.into_iter().try_for_each(|event| self.send(event))
    }

    fn send(&self, event: DashboardEvent) -> Result<(), ()> {
        self.events.send(LoopEvent::Event(event)).map_err(drop)
    }
}

fn drain(stream: &mut UnixStream) {
    let mut some = [0; 64];
    while stream.read(&mut some).is_ok_and(|count| count == some.len()) {}
}
