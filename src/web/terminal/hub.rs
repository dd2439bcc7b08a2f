//! The agents whose terminal is shown, and the thread of each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::watch;

use super::feed::TerminalFeed;
use super::part_log::PartKind;
use super::viewer::TerminalViewer;
use crate::base::terminal::emulator_input::EmulatorInput;
use crate::error::Error;
use crate::manager::{
    AgentLookup, AgentScreens, CaptureHistory, Context, FrameFlow, PaneScreen, ScreenPart, ScreenSignals,
};
use crate::model::{AgentId, AgentName, without_deception};

/// Lines of history that a viewer can scroll back when it begins.
const HISTORY_LINES: usize = 1000;
/// Bytes of history in a capture. Each viewer that reads nothing holds one capture.
const MAX_HISTORY_BYTES: usize = 256 * 1024;
/// Maximum number of agents whose terminals are shown at once.
const MAX_FEEDS: usize = 32;
/// Maximum number of terminals of one agent that a device shows at once.
const MAX_VIEWERS_OF_DEVICE: usize = 8;

/// The agents whose terminal is shown.
pub(in crate::web) struct TerminalHub {
    context: Arc<Context>,
    feeds: FeedTable,
}

/// The feeds by the id of the agent: another agent may have its name by now.
#[derive(Clone, Default)]
struct FeedTable(Arc<Mutex<HashMap<AgentId, Arc<TerminalFeed>>>>);

impl FeedTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<TerminalFeed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TerminalHub {
    pub(in crate::web) fn new(context: &Arc<Context>) -> TerminalHub {
        TerminalHub { context: Arc::clone(context), feeds: FeedTable::default() }
    }

    /// Adds a viewer for a device. Returns it with what wakes its stream.
    pub(in crate::web) fn join(
        &self,
        name: &AgentName,
        device: &str,
    ) -> Result<(Arc<TerminalViewer>, watch::Receiver<u64>), Error> {
        let agent = AgentLookup(&self.context).id(name)?;
        // A thread ends under this lock, so it does not end before the viewer has joined.
        let mut feeds = self.feeds.lock();
        let feed = match feeds.get(&agent) {
            Some(feed) if feed.viewers_of(device) >= MAX_VIEWERS_OF_DEVICE => {
                let message =
                    format!("this device shows {MAX_VIEWERS_OF_DEVICE} terminals of the agent already");
                return Err(Error::usage(message));
            }
            Some(feed) => Arc::clone(feed),
            None if feeds.len() >= MAX_FEEDS => {
                return Err(Error::usage(format!("{MAX_FEEDS} terminals are open already")));
            }
            None => {
                let feed = self.begin(name, agent)?;
                feeds.insert(agent, Arc::clone(&feed));
                feed
            }
        };
        let id = uuid::Uuid::new_v4().simple().to_string();
        let viewer = Arc::new(TerminalViewer::new(id, device, Arc::clone(&feed)));
        let nudged = feed.join(&viewer);
        Ok((viewer, nudged))
    }

    /// Returns an open viewer of a device, if it shows the agent that has this name now.
    pub(in crate::web) fn viewer(
        &self,
        name: &AgentName,
        device: &str,
        id: &str,
    ) -> Result<Arc<TerminalViewer>, Error> {
        let agent = AgentLookup(&self.context).id(name)?;
        let feed = self.feeds.lock().get(&agent).cloned();
        let viewer = feed.and_then(|feed| feed.viewer(id)).filter(|viewer| viewer.is_of(device));
        viewer.ok_or_else(|| Error::usage("this terminal is not open any more"))
    }

    /// Starts the thread of an agent.
    fn begin(&self, name: &AgentName, agent: AgentId) -> Result<Arc<TerminalFeed>, Error> {
        let (waker, signals) = ScreenSignals::new();
        let feed = Arc::new(TerminalFeed::new((name, agent), waker));
        let run = FeedRun {
            context: Arc::clone(&self.context),
            feeds: self.feeds.clone(),
            feed: Arc::clone(&feed),
            input: EmulatorInput::default(),
            last_check: None,
        };
        let begun = thread::Builder::new().name("terminal".into()).spawn(move || run.run(signals));
        begun.map_err(Error::io("cannot start a thread"))?;
        Ok(feed)
    }
}

/// The thread of one agent.
struct FeedRun {
    context: Arc<Context>,
    feeds: FeedTable,
    feed: Arc<TerminalFeed>,
    input: EmulatorInput,
    /// The last capture to compare with, if nothing was printed since.
    last_check: Option<PaneScreen>,
}

impl FeedRun {
    /// Follows the screen until no viewer is left or the agent has no screen any more.
    fn run(mut self, signals: ScreenSignals) {
        let (context, name) = (Arc::clone(&self.context), self.feed.name.clone());
        let history = CaptureHistory { whole: HISTORY_LINES, check: 0 };
        let outcome =
            AgentScreens(&context).follow_parts(&name, history, signals, &mut |part| Ok(self.take(part)));
        let error = outcome.err().unwrap_or_else(|| Error::not_running(&name, "gone"));
        let mut feeds = self.feeds.lock();
        feeds.retain(|_, feed| !Arc::ptr_eq(feed, &self.feed));
        let text = without_deception(&error.to_string());
        self.feed.end(text.lines().next().unwrap_or_default());
    }

    fn take(&mut self, part: ScreenPart) -> FrameFlow {
        match part {
            ScreenPart::Screen(mut screen) => {
                limit_history(&mut screen);
                self.feed.publish(PartKind::Screen, &json_of(&screen));
            }
            ScreenPart::Check(screen) => {
                if self.last_check.as_ref() != Some(&screen) {
                    self.feed.publish(PartKind::Check, &json_of(&screen));
                }
                self.last_check = Some(screen);
            }
            ScreenPart::Output(bytes) => {
                self.last_check = None;
                let whole = self.input.take(&bytes);
                let text = String::from_utf8_lossy(&whole);
                self.feed.publish(PartKind::Output, &serde_json::to_string(&text).unwrap_or_default());
            }
            ScreenPart::Alive => {}
        }
        self.flow()
    }

    /// Stops without viewers. The feed is removed under the lock, so that a viewer that comes now starts a new thread.
    fn flow(&self) -> FrameFlow {
        if self.feed.has_viewers() {
            return FrameFlow::Continue;
        }
        let mut feeds = self.feeds.lock();
        if self.feed.has_viewers() {
            return FrameFlow::Continue;
        }
        feeds.remove(&self.feed.agent);
        FrameFlow::Stop
    }
}

/// Removes the oldest lines of a history that is too large.
fn limit_history(screen: &mut PaneScreen) {
    let mut room = MAX_HISTORY_BYTES;
    let fits = |line: &&String| match room.checked_sub(line.len()) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    let kept = screen.history.iter().rev().take_while(fits).count();
    screen.history.drain(..screen.history.len() - kept);
}

fn json_of(screen: &PaneScreen) -> String {
    serde_json::to_string(screen).unwrap_or_default()
}
