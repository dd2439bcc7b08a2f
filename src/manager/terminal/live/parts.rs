//! The live screen of an agent as a sequence of parts, for viewers with an emulator of their own: another machine, or
//! pages in browsers.
//!
//! A capture and the output are not synchronised, so a capture is repeated when the output pauses. A capture comes after
//! all output that it may show: a viewer that begins with a capture can ignore what came before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::manager::terminal::{AgentScreens, ScreenFollower};
use crate::model::AgentName;
use crate::ssh::FrameFlow;
use crate::tmux::PaneScreen;

/// Pause in the output after which another capture is sent.
const SETTLED_AFTER: Duration = Duration::from_millis(250);
/// Longest time without a capture while the agent prints.
const MAX_UNCHECKED: Duration = Duration::from_secs(5);
/// Time without output after which the agent is checked for a screen.
const IDLE_CHECK: Duration = Duration::from_secs(30);
/// Shortest time between two captures that viewers ask for.
const MIN_REQUEST_INTERVAL: Duration = Duration::from_millis(250);
/// Bytes that are read from the transcript at once.
const CHUNK_BYTES: usize = 32 * 1024;
/// Number of chunks that are read before requests of viewers are looked at.
const MAX_CHUNKS_AT_ONCE: usize = 32;

/// A part of the live screen of an agent.
#[derive(Debug, PartialEq, Eq)]
pub enum ScreenPart {
    /// A capture of the screen with its history.
    Screen(PaneScreen),
    /// A capture of the screen to compare with, without its history unless every capture has it.
    Check(PaneScreen),
    /// Bytes that the agent has printed.
    Output(Vec<u8>),
    /// Nothing has been printed; the source works.
    Alive,
}

/// How many lines of history captures have.
#[derive(Debug, Clone, Copy)]
pub struct CaptureHistory {
    /// Lines above the screen in the first capture and in those that viewers ask for.
    pub whole: usize,
    /// Lines above the screen in captures to compare with.
    pub check: usize,
}

/// Wakes the thread that follows a screen, and tells it what viewers want.
#[derive(Debug, Clone)]
pub struct ScreenWaker {
    wake: SyncSender<()>,
    is_capture_wanted: Arc<AtomicBool>,
}

/// The receiving end of a [`ScreenWaker`], for the thread that follows a screen.
#[derive(Debug)]
pub struct ScreenSignals {
    waker: ScreenWaker,
    woken: Receiver<()>,
}

impl ScreenSignals {
    /// Creates both ends.
    pub fn new() -> (ScreenWaker, ScreenSignals) {
        let (wake, woken) = sync_channel(1);
        let waker = ScreenWaker { wake, is_capture_wanted: Arc::default() };
        (waker.clone(), ScreenSignals { waker, woken })
    }
}

impl ScreenWaker {
    /// Makes the thread look for output, and call its receiver even if there is none.
    pub fn wake(&self) {
        // A full channel means that the thread has not woken up yet.
        let _ = self.wake.try_send(());
    }

    /// Asks for a capture with the whole history.
    pub fn want_capture(&self) {
        self.is_capture_wanted.store(true, Ordering::SeqCst);
        self.wake();
    }
}

/// A sequence of parts that is being sent.
struct PartSource<'a, 'e> {
    follower: ScreenFollower<'a>,
    buffer: Vec<u8>,
    each: &'e mut dyn FnMut(ScreenPart) -> Result<FrameFlow, Error>,
}

impl AgentScreens<'_> {
    /// Calls `each` with a capture of the screen, then with everything that the agent prints, and with further captures.
    /// Returns when `each` asks for it or the agent has no screen any more.
    pub fn follow_parts(
        &self,
        name: &AgentName,
        history: CaptureHistory,
        signals: ScreenSignals,
        each: &mut dyn FnMut(ScreenPart) -> Result<FrameFlow, Error>,
    ) -> Result<(), Error> {
        let ScreenSignals { waker, woken } = signals;
        let printed = waker.clone();
        let follower = self.follow_screen(name, move || printed.wake())?;
        let mut source = PartSource { follower, buffer: vec![0; CHUNK_BYTES], each };
        if source.capture(ScreenPart::Screen, history.whole)? == FrameFlow::Stop {
            return Ok(());
        }
        let (mut captured, mut checked, mut is_checked) = (Instant::now(), Instant::now(), false);
        loop {
            let is_wanted = waker.is_capture_wanted.load(Ordering::SeqCst);
            let wait = match (is_wanted, is_checked) {
                (true, _) => MIN_REQUEST_INTERVAL.saturating_sub(captured.elapsed()),
                (false, true) => IDLE_CHECK,
                (false, false) => SETTLED_AFTER,
            };
            let is_woken = match woken.recv_timeout(wait) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let mut flow = FrameFlow::Continue;
            if is_woken {
                let chunks = source.send_output(&mut flow)?;
                if chunks == MAX_CHUNKS_AT_ONCE {
                    waker.wake();
                }
                is_checked &= chunks == 0;
            }
            let is_due = captured.elapsed() >= MIN_REQUEST_INTERVAL;
            if flow == FrameFlow::Continue && is_due && waker.is_capture_wanted.swap(false, Ordering::SeqCst)
            {
                flow = source.capture(ScreenPart::Screen, history.whole)?;
                // Output that was on its way during the capture may appear twice.
                (captured, is_checked) = (Instant::now(), false);
            } else if flow == FrameFlow::Continue
                && !is_wanted
                && (!is_woken || checked.elapsed() >= MAX_UNCHECKED && !is_checked)
            {
                flow = source.capture(ScreenPart::Check, history.check)?;
                (checked, is_checked) = (Instant::now(), !is_woken);
            }
            if flow == FrameFlow::Stop {
                return Ok(());
            }
        }
    }
}

impl PartSource<'_, '_> {
    /// Sends the output that was printed. Returns the number of chunks; if it is 0, the receiver was told that there is
    /// none.
    fn send_output(&mut self, flow: &mut FrameFlow) -> Result<usize, Error> {
        let mut chunks = 0;
        while *flow == FrameFlow::Continue && chunks < MAX_CHUNKS_AT_ONCE {
            let Ok(count @ 1..) = self.follower.read(&mut self.buffer) else { break };
            chunks += 1;
            *flow = (self.each)(ScreenPart::Output(self.buffer[..count].to_vec()))?;
        }
        if chunks == 0 {
            *flow = (self.each)(ScreenPart::Alive)?;
        }
        Ok(chunks)
    }

    /// Sends a capture, after the output that it may show. Stops if the agent has no screen any more.
    fn capture(&mut self, part: fn(PaneScreen) -> ScreenPart, history: usize) -> Result<FrameFlow, Error> {
        let Some(capture) = self.follower.capture(history)? else { return Ok(FrameFlow::Stop) };
        let mut flow = FrameFlow::Continue;
        self.send_output(&mut flow)?;
        match flow {
            FrameFlow::Continue => (self.each)(part(capture)),
            FrameFlow::Stop => Ok(FrameFlow::Stop),
        }
    }
}
