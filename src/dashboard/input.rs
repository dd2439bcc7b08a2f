//! The thread that reads the keyboard, the mouse, changes of the size and signals. It sleeps until one of them arrives,
//! and reads nothing while another program has the terminal.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};
use signal_hook::low_level::pipe;

use crate::base::key_press::{KeyName, KeyPress, NamedKey};
use crate::dashboard::app::LoopEvent;
use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::state::mouse::{MouseAction, MouseInput};
use crate::dashboard::terminal::FullScreen;

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
        for stream in [&woken, &resized, &ended] {
            stream.set_nonblocking(true)?;
        }
        let is_paused = Arc::new(AtomicBool::new(false));
        let (tell_paused, paused) = channel();
        let source =
            InputSource { woken, resized, ended, is_paused: Arc::clone(&is_paused), tell_paused, events };
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

struct InputSource {
    woken: UnixStream,
    resized: UnixStream,
    ended: UnixStream,
    is_paused: Arc<AtomicBool>,
    tell_paused: Sender<()>,
    events: Sender<LoopEvent>,
}

impl InputSource {
    /// Reads until the dashboard or the terminal is gone.
    fn run(mut self) -> Result<(), ()> {
        loop {
            let is_paused = self.is_paused.load(Ordering::SeqCst);
            let ready = self.wait(is_paused).map_err(drop)?;
            let [is_woken, is_resized, is_ended, is_typed] = ready;
            if is_woken {
                drain(&mut self.woken);
                if self.is_paused.load(Ordering::SeqCst) {
                    self.tell_paused.send(()).map_err(drop)?;
                    continue;
                }
            }
            if is_ended {
                return self.events.send(LoopEvent::Quit).map_err(drop);
            }
            if is_resized {
                drain(&mut self.resized);
                let (width, height) = FullScreen::size();
                self.send(DashboardEvent::Resized(width, height))?;
            }
            if is_typed && !self.is_paused.load(Ordering::SeqCst) {
                self.read_all()?;
            }
        }
    }

    /// Waits for input, and returns which sources have some: wake, size, end, keyboard.
    fn wait(&self, is_paused: bool) -> io::Result<[bool; 4]> {
        let stdin = rustix::stdio::stdin();
        let mut sources = vec![
            PollFd::new(&self.woken, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
            PollFd::new(&self.ended, PollFlags::IN),
        ];
        if !is_paused {
            sources.push(PollFd::new(&stdin, PollFlags::IN));
        }
        match poll(&mut sources, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready =
            |at: usize| sources.get(at).is_some_and(|source: &PollFd<'_>| !source.revents().is_empty());
        Ok([is_ready(0), is_ready(1), is_ready(2), is_ready(3)])
    }

    /// Reads all events that have arrived.
    fn read_all(&self) -> Result<(), ()> {
        loop {
            // At the end of the input, crossterm would try to read for ever.
            if is_hung_up() {
                return self.events.send(LoopEvent::Quit).map_err(drop).and(Err(()));
            }
            match event::poll(Duration::ZERO) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(_) => return self.events.send(LoopEvent::Quit).map_err(drop).and(Err(())),
            }
            let event = event::read().map_err(drop)?;
            if let Some(event) = translate(event) {
                self.send(event)?;
            }
        }
    }

    fn send(&self, event: DashboardEvent) -> Result<(), ()> {
        self.events.send(LoopEvent::Event(event)).map_err(drop)
    }
}

/// Returns whether the terminal has been closed.
fn is_hung_up() -> bool {
    let stdin = rustix::stdio::stdin();
    let mut sources = [PollFd::new(&stdin, PollFlags::IN)];
    let polled = poll(&mut sources, Some(&Timespec::default()));
    polled.is_ok() && sources[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

fn drain(stream: &mut UnixStream) {
    let mut some = [0; 64];
    while stream.read(&mut some).is_ok_and(|count| count == some.len()) {}
}

/// Converts an event of the terminal. Returns `None` for events that mean nothing here.
fn translate(event: Event) -> Option<DashboardEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_press(key).map(DashboardEvent::Key),
        Event::Paste(text) => Some(DashboardEvent::Paste(text)),
        Event::Mouse(mouse) => mouse_input(mouse).map(DashboardEvent::Mouse),
        Event::Resize(width, height) => Some(DashboardEvent::Resized(width, height)),
        Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
    }
}

fn key_press(event: KeyEvent) -> Option<KeyPress> {
    let named = |key| Some(KeyName::Named(key));
    let key = match event.code {
        KeyCode::Char(c) => Some(KeyName::Char(c)),
        KeyCode::F(number) => Some(KeyName::Function(number)),
        KeyCode::Enter => named(NamedKey::Enter),
        KeyCode::Esc => named(NamedKey::Escape),
        KeyCode::Tab => named(NamedKey::Tab),
        KeyCode::BackTab => named(NamedKey::BackTab),
        KeyCode::Backspace => named(NamedKey::Backspace),
        KeyCode::Delete => named(NamedKey::Delete),
        KeyCode::Insert => named(NamedKey::Insert),
        KeyCode::Up => named(NamedKey::Up),
        KeyCode::Down => named(NamedKey::Down),
        KeyCode::Left => named(NamedKey::Left),
        KeyCode::Right => named(NamedKey::Right),
        KeyCode::Home => named(NamedKey::Home),
        KeyCode::End => named(NamedKey::End),
        KeyCode::PageUp => named(NamedKey::PageUp),
        KeyCode::PageDown => named(NamedKey::PageDown),
        _ => None,
    }?;
    let has = |modifier| event.modifiers.contains(modifier);
    let is_shift_part = matches!(key, KeyName::Char(_) | KeyName::Named(NamedKey::BackTab));
    // Terminals send `C-]` and its neighbours as control characters, which crossterm reports as digits.
    let key = match (key, has(KeyModifiers::CONTROL)) {
        (KeyName::Char(digit @ '4'..='7'), true) => KeyName::Char(match digit {
            '4' => '\\',
            '5' => ']',
            '6' => '^',
            _ => '_',
        }),
        (other, _) => other,
    };
    Some(KeyPress {
        key,
        ctrl: has(KeyModifiers::CONTROL),
        alt: has(KeyModifiers::ALT),
        shift: has(KeyModifiers::SHIFT) && !is_shift_part,
    })
}

fn mouse_input(event: MouseEvent) -> Option<MouseInput> {
    let kind = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseAction::Press,
        MouseEventKind::Down(MouseButton::Right) => MouseAction::RightPress,
        MouseEventKind::Drag(MouseButton::Left) => MouseAction::Drag,
        MouseEventKind::Up(MouseButton::Left) => MouseAction::Release,
        MouseEventKind::ScrollUp => MouseAction::WheelUp,
        MouseEventKind::ScrollDown => MouseAction::WheelDown,
        _ => return None,
    };
    Some(MouseInput { kind, column: event.column, line: event.row })
}
