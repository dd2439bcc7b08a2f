//! The parts of the screen of one agent for all of its viewers, and which viewer drives the agent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::Serialize;
use tokio::sync::watch;

use super::part_log::{FoundPart, LogPosition, PartKind, PartLog};
use super::viewer::TerminalViewer;
use crate::manager::ScreenWaker;
use crate::model::{AgentId, AgentName};

/// Who drives an agent, from the view of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::web) enum Driving {
    /// This page does, and may type.
    This,
    /// Another page does.
    Other,
    /// No page does.
    None,
}

/// The screen of one agent.
pub(in crate::web) struct TerminalFeed {
    /// Name of the agent when the feed began.
    pub(in crate::web) name: AgentName,
    pub(in crate::web) agent: AgentId,
    waker: ScreenWaker,
    state: Mutex<FeedState>,
}

#[derive(Default)]
struct FeedState {
    log: PartLog,
    viewers: BTreeMap<String, ViewerEntry>,
    driver: Option<PageDriver>,
    /// Why the screen has ended.
    end_reason: Option<Arc<str>>,
}

struct ViewerEntry {
    viewer: Weak<TerminalViewer>,
    /// Wakes the stream of the viewer.
    nudge: watch::Sender<u64>,
}

/// The page that has taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageDriver {
    viewer: String,
    /// Key of the attached client that drove the agent at that time, if there was one.
    taken_from: Option<String>,
}

impl TerminalFeed {
    pub(super) fn new((name, agent): (&AgentName, AgentId), waker: ScreenWaker) -> TerminalFeed {
        TerminalFeed { name: name.clone(), agent, waker, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a viewer. Returns what wakes its stream.
    pub(super) fn join(&self, viewer: &Arc<TerminalViewer>) -> watch::Receiver<u64> {
        let (nudge, nudged) = watch::channel(0);
        let entry = ViewerEntry { viewer: Arc::downgrade(viewer), nudge };
        self.state().viewers.insert(viewer.id.clone(), entry);
        nudged
    }

    /// Removes a viewer. The thread of the feed ends after the last one.
    pub(super) fn leave(&self, id: &str) {
        let mut state = self.state();
        state.viewers.remove(id);
        if state.driver.as_ref().is_some_and(|driver| driver.viewer == id) {
            state.driver = None;
            state.nudge_all();
        }
        if state.viewers.is_empty() {
            self.waker.wake();
        }
    }

    /// Returns the number of viewers that a device has opened.
    pub(super) fn viewers_of(&self, device: &str) -> usize {
        let viewers: Vec<_> = self.state().viewers.values().map(|entry| entry.viewer.clone()).collect();
        // Without the lock: a viewer that is dropped here leaves the feed.
        viewers.iter().filter_map(Weak::upgrade).filter(|viewer| viewer.is_of(device)).count()
    }

    pub(super) fn has_viewers(&self) -> bool {
        !self.state().viewers.is_empty()
    }

    /// Returns the viewer with this id.
    pub(super) fn viewer(&self, id: &str) -> Option<Arc<TerminalViewer>> {
        self.state().viewers.get(id)?.viewer.upgrade()
    }

    /// Asks for a capture. Returns the number that it has at least.
    pub(super) fn ask_for_capture(&self) -> u64 {
        let next = self.state().log.end();
        // The thread begins with a capture.
        if next > 0 {
            self.waker.want_capture();
        }
        next
    }

    /// Adds a part for all viewers.
    pub(super) fn publish(&self, kind: PartKind, body: &str) {
        let mut state = self.state();
        state.log.push(kind, body);
        state.nudge_all();
    }

    /// Ends the streams of all viewers, after they were told why.
    pub(super) fn end(&self, why: &str) {
        let mut state = self.state();
        state.end_reason = Some(why.into());
        state.driver = None;
        state.nudge_all();
        state.viewers.clear();
    }

    pub(super) fn end_reason(&self) -> Option<Arc<str>> {
        self.state().end_reason.clone()
    }

    pub(super) fn next_part(&self, position: LogPosition) -> FoundPart {
        self.state().log.next(position)
    }

    /// Wakes the stream of one viewer.
    pub(super) fn nudge(&self, id: &str) {
        if let Some(entry) = self.state().viewers.get(id) {
            entry.nudge.send_modify(|count| *count += 1);
        }
    }

    /// Returns who drives, from the view of a viewer.
    pub(super) fn driving(&self, id: &str) -> Driving {
        match &self.state().driver {
            None => Driving::None,
            Some(driver) if driver.viewer == id => Driving::This,
            Some(_) => Driving::Other,
        }
    }

    /// Makes a viewer the only one that may type, and notes the client that it has taken over from.
    pub(in crate::web) fn take(&self, id: &str, taken_from: Option<String>) {
        let mut state = self.state();
        if state.viewers.contains_key(id) {
            state.driver = Some(PageDriver { viewer: id.to_owned(), taken_from });
            state.nudge_all();
        }
    }

    /// Makes a viewer an observer again.
    pub(in crate::web) fn release(&self, id: &str) {
        let mut state = self.state();
        if state.driver.as_ref().is_some_and(|driver| driver.viewer == id) {
            state.driver = None;
            state.nudge_all();
        }
    }

    /// Returns the client that a viewer has taken over from, or `None` if the viewer does not drive.
    pub(in crate::web) fn taken_from(&self, id: &str) -> Option<Option<String>> {
        let state = self.state();
        let driver = state.driver.as_ref().filter(|driver| driver.viewer == id)?;
        Some(driver.taken_from.clone())
    }

    /// Makes the feed capture the screen again, for example because its size has changed.
    pub(in crate::web) fn refresh(&self) {
        self.waker.want_capture();
    }
}

impl FeedState {
    fn nudge_all(&self) {
        for entry in self.viewers.values() {
            entry.nudge.send_modify(|count| *count += 1);
        }
    }
}
