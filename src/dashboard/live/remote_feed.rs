//! The thread that receives the screen of an agent on another host.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::dashboard::effects::{EventSender, sentence};
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::live::{LiveContent, LiveSlot};
use crate::dashboard::state::event::{AgentTarget, DashboardEvent};
use crate::manager::{Context, FrameFlow, Hosts, ScreenPart};
use crate::model::HostName;

/// Pause before another connection to a host after one has ended.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of the check whether the screen is still wanted, within that pause.
const END_CHECK: Duration = Duration::from_millis(250);
/// Lines of history that a host sends. Each capture carries them over the network.
const REMOTE_HISTORY_LINES: usize = 200;

/// Receives the screen of one agent until it is not shown any more.
pub(super) struct RemoteFeed {
    pub(super) context: Arc<Context>,
    pub(super) slot: LiveSlot,
    pub(super) history_lines: usize,
    pub(super) events: EventSender,
    pub(super) host: HostName,
    pub(super) target: AgentTarget,
    /// Set when the screen is not wanted any more.
    pub(super) ended: Arc<AtomicBool>,
}

impl RemoteFeed {
    /// Receives and reconnects.
    pub(super) fn run(self) {
        while !self.is_ended() {
            let history = self.history_lines.min(REMOTE_HISTORY_LINES);
            let received =
                Hosts(&self.context).receive_screen(&self.host, (&self.target.name, history), &mut |part| {
                    self.take(part);
                    if self.is_ended() { FrameFlow::Stop } else { FrameFlow::Continue }
                });
            let why = match received {
                Ok(()) => "It has no screen any more.".to_owned(),
                Err(error) => sentence(&error),
            };
            self.change(|content, feed| {
                *content = LiveContent::Text(feed.target.key.clone(), why, vec![]);
            });
            let mut waited = Duration::ZERO;
            while waited < RECONNECT_INTERVAL && !self.is_ended() {
                thread::sleep(END_CHECK);
                waited += END_CHECK;
            }
        }
    }

    fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    fn take(&self, part: ScreenPart) {
        match part {
            ScreenPart::Screen(capture) | ScreenPart::Check(capture) => {
                self.change(|content, feed| match content {
                    LiveContent::Screen(key, screen) if *key == feed.target.key && screen.shows(&capture) => {
                    }
                    content => {
                        let screen = LiveScreen::with_history(&capture, feed.history_lines);
                        *content = LiveContent::Screen(feed.target.key.clone(), screen.into());
                    }
                })
            }
            ScreenPart::Output(bytes) => self.change(|content, feed| {
                if let LiveContent::Screen(key, screen) = content
                    && *key == feed.target.key
                {
                    screen.process(&bytes);
                }
            }),
            ScreenPart::Alive => {}
        }
    }

    /// Changes the content, unless another agent is shown by now.
    fn change(&self, act: impl FnOnce(&mut LiveContent, &RemoteFeed)) {
        self.slot.with(|content| {
            if !self.is_ended() {
                act(content, self);
            }
        });
        self.events.send(DashboardEvent::LiveChanged);
    }
}
