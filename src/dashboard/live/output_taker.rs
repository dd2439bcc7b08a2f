//! Interprets output of an agent and shows it, in the thread that is notified of it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use crate::dashboard::effects::OutputSender;
use crate::dashboard::live::feed::FeedSignal;
use crate::dashboard::live::{LiveContent, LiveSlot};
use crate::dashboard::state::agent_key::AgentKey;
use crate::manager::{Context, LiveOutput};

/// Bytes that are interpreted at once, so that drawing waits for less than a millisecond.
const CHUNK_BYTES: usize = 32 * 1024;
/// Sequences with which programs clear the screen, mostly because its size has changed.
const CLEARING: [&[u8]; 3] = [b"\x1b[2J", b"\x1b[3J", b"\x1b[H\x1b[J"];

/// Takes the output of one agent.
pub(super) struct OutputTaker {
    pub(super) context: Arc<Context>,
    pub(super) key: AgentKey,
    pub(super) slot: LiveSlot,
    pub(super) source: LiveOutput,
    pub(super) output: OutputSender,
    /// Wakes the thread that compares the screen with captures.
    pub(super) wake: Sender<FeedSignal>,
    pub(super) signs: Arc<OutputSigns>,
}

/// What the taker and the thread that compares tell each other.
#[derive(Default)]
pub(super) struct OutputSigns {
    /// Whether the thread was woken and has not reacted yet.
    pub(super) is_pending: AtomicBool,
    /// Whether the program has cleared its screen.
    pub(super) has_cleared: AtomicBool,
    /// Whether the screen is not followed any more. The taker may still read, and the agent may be followed anew.
    pub(super) is_over: AtomicBool,
}

impl OutputTaker {
    /// Interprets and shows everything that was printed, as long as the agent is shown.
    pub(super) fn take(&self) {
        let mut buffer = vec![0; CHUNK_BYTES];
        let is_shown = Cell::new(true);
        let interpret = |output: &[u8]| {
            if CLEARING.iter().any(|clear| output.windows(clear.len()).any(|part| part == *clear)) {
                self.signs.has_cleared.store(true, Ordering::SeqCst);
            }
            is_shown.set(self.slot.with(|content| match content {
                LiveContent::Screen(key, screen)
                    if *key == self.key && !self.signs.is_over.load(Ordering::SeqCst) =>
                {
                    screen.process(output);
                    true
                }
                _ => false,
            }));
        };
        while let Ok(1..) = self.source.read(&mut buffer, interpret)
            && is_shown.get()
        {
            // Before the search for more output, so that the frame does not wait for it.
            self.output.show(self.context.now());
            if !self.signs.is_pending.swap(true, Ordering::SeqCst) {
                let _ = self.wake.send(FeedSignal::Printed);
            }
        }
    }
}
