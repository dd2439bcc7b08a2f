//! The screens of agents that pages show. One thread for each agent captures its screen after it has printed
//! something, however many viewers it has, and ends after the last viewer has left.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::hosts;
use super::screen_text::ScreenText;
use crate::error::Error;
use crate::manager::{AgentLookup, AgentScreens, Context};
use crate::model::{AgentId, AgentName, HostName, without_deception};

/// Lines of history that a viewer can scroll back.
pub(super) const HISTORY_LINES: usize = 300;
/// Shortest time between two captures of a screen. Text that changes faster cannot be read.
const CAPTURE_INTERVAL: Duration = Duration::from_millis(120);
/// Time after which a thread checks whether it still has a viewer.
const VIEWER_CHECK: Duration = Duration::from_secs(5);
/// Maximum number of agents whose screens are shown at once.
const MAX_SCREENS: usize = 32;

/// A screen as JSON: the last capture, or the reason why there is none.
pub(super) type SharedScreen = Option<Result<Arc<str>, Arc<str>>>;

/// The agent whose screen is shown, on another host or on this machine.
pub(super) type ScreenKey = (Option<HostName>, AgentName);

/// The agent with its id, if it is on this machine: another agent may have its name by now.
type WatchedKey = (ScreenKey, Option<AgentId>);

/// The screens that have a viewer.
pub(super) struct ScreenHub {
    context: Arc<Context>,
    watched: Arc<Mutex<HashMap<WatchedKey, watch::Sender<SharedScreen>>>>,
}

impl ScreenHub {
    pub(super) fn new(context: &Arc<Context>) -> ScreenHub {
        ScreenHub { context: Arc::clone(context), watched: Arc::default() }
    }

    /// Returns the screen of an agent, now and after each change.
    pub(super) fn follow(&self, key: &ScreenKey) -> Result<watch::Receiver<SharedScreen>, Error> {
        let id = match key {
            (None, name) => Some(AgentLookup(&self.context).id(name)?),
            (Some(_), _) => None,
        };
        let key = (key.clone(), id);
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = watched.get(&key) {
            return Ok(sender.subscribe());
        }
        if watched.len() >= MAX_SCREENS {
            return Err(Error::usage(format!("{MAX_SCREENS} screens are open already")));
        }
        let (sender, receiver) = watch::channel(None);
        let feed = ScreenFeed {
            context: Arc::clone(&self.context),
            watched: Arc::clone(&self.watched),
            key: key.clone(),
            sender: sender.clone(),
        };
        let begun = thread::Builder::new().name("screen".into()).spawn(move || feed.run());
        begun.map_err(Error::io("cannot start a thread"))?;
        watched.insert(key, sender);
        Ok(receiver)
    }
}

/// The thread that captures one screen.
struct ScreenFeed {
    context: Arc<Context>,
    watched: Arc<Mutex<HashMap<WatchedKey, watch::Sender<SharedScreen>>>>,
    key: WatchedKey,
    sender: watch::Sender<SharedScreen>,
}

impl ScreenFeed {
    fn run(&self) {
        let shown = match &self.key.0 {
            (None, name) => self.capture_changes(name),
            (Some(host), name) => self.receive_changes(host, name),
        };
        let Err(error) = shown else { return };
        self.publish(Err(without_deception(&error.to_string()).into()));
        // The streams of the viewers end after this; a new viewer starts a new thread.
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.get(&self.key).is_some_and(|sender| sender.same_channel(&self.sender)) {
            watched.remove(&self.key);
        }
    }

    /// Shows the screen that another host sends, until no viewer is left or the agent has no screen any more.
    fn receive_changes(&self, host: &HostName, name: &AgentName) -> Result<(), Error> {
        let has_viewer = || !self.ends_without_viewer();
        let publish = |screen: &ScreenText| self.publish_text(screen);
        hosts::screen::receive(&self.context, (host, name), has_viewer, publish)?;
        match self.ends_without_viewer() {
            true => Ok(()),
            false => Err(Error::not_running(name, "gone")),
        }
    }

    /// Captures the screen until no viewer is left or the agent has no screen any more.
    fn capture_changes(&self, name: &AgentName) -> Result<(), Error> {
        let (wake, printed) = channel();
        let mut follower =
            AgentScreens(&self.context).follow_screen(name, move || wake.send(()).unwrap_or_default())?;
        loop {
            let begun = Instant::now();
            // The output itself is not needed; reading it keeps the position at the end of the transcript.
            let _ = follower.skip_output();
            let Some(screen) = follower.capture(HISTORY_LINES)? else {
                return Err(Error::not_running(name, "gone"));
            };
            self.publish_text(&ScreenText::of(&screen));
            thread::sleep(CAPTURE_INTERVAL.saturating_sub(begun.elapsed()));
            if !self.waits_for_output(&printed) {
                return Ok(());
            }
        }
    }

    /// Waits until the agent has printed something. Returns `false` if no viewer is left.
    fn waits_for_output(&self, printed: &Receiver<()>) -> bool {
        loop {
            let has_printed = printed.recv_timeout(VIEWER_CHECK).is_ok();
            printed.try_iter().for_each(drop);
            if self.ends_without_viewer() {
                return false;
            }
            if has_printed {
                return true;
            }
        }
    }

    /// Forgets the screen if it has no viewer any more. A viewer that arrives later starts a new thread.
    fn ends_without_viewer(&self) -> bool {
        // Held until the entry is removed, so that no viewer can arrive in between.
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unwatched = self.sender.receiver_count() == 0;
        if is_unwatched && watched.get(&self.key).is_some_and(|sender| sender.same_channel(&self.sender)) {
            watched.remove(&self.key);
        }
        is_unwatched
    }

    fn publish_text(&self, screen: &ScreenText) {
        self.publish(Ok(serde_json::to_string(screen).unwrap_or_default().into()));
    }

    fn publish(&self, screen: Result<Arc<str>, Arc<str>>) {
        self.sender.send_if_modified(|last| {
            let is_new = last.as_ref() != Some(&screen);
            *last = Some(screen);
            is_new
        });
    }
}
