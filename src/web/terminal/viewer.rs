//! One page that shows the terminal of an agent. The page acknowledges parts after its emulator has interpreted them;
//! only so many bytes may be unacknowledged.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::response::sse::Event;
use serde_json::json;

use super::feed::{Driving, TerminalFeed};
use super::part_log::{FoundPart, LogPosition, LoggedPart, PartKind};

/// Maximum number of bytes that a page has not acknowledged. A single larger part, such as a capture, is sent alone.
const MAX_UNACKNOWLEDGED_BYTES: usize = 256 * 1024;

/// A page that shows the terminal of an agent.
pub(in crate::web) struct TerminalViewer {
    /// Random id, which names the viewer in requests.
    pub(in crate::web) id: String,
    /// Id of the device that has opened it.
    device: String,
    feed: Arc<TerminalFeed>,
    progress: Mutex<ViewerProgress>,
}

/// What the page has got.
#[derive(Debug)]
struct ViewerProgress {
    position: LogPosition,
    /// Numbers and sizes of the parts that are not acknowledged.
    unacknowledged: VecDeque<(u64, usize)>,
    unacknowledged_bytes: usize,
    /// Who drives, as the page was last informed.
    sent_driving: Option<Driving>,
    has_sent_end: bool,
}

impl ViewerProgress {
    fn from(position: LogPosition) -> ViewerProgress {
        let unacknowledged = VecDeque::new();
        ViewerProgress {
            position,
            unacknowledged,
            unacknowledged_bytes: 0,
            sent_driving: None,
            has_sent_end: false,
        }
    }

    /// Checks whether a part of this size may be sent now.
    fn has_room_for(&self, bytes: usize) -> bool {
        self.unacknowledged.is_empty() || self.unacknowledged_bytes + bytes <= MAX_UNACKNOWLEDGED_BYTES
    }

    fn note_sent(&mut self, part: &LoggedPart) {
        self.position = LogPosition::Part(part.number + 1);
        self.unacknowledged.push_back((part.number, part.data.len()));
        self.unacknowledged_bytes += part.data.len();
    }

    /// Notes that the page has interpreted everything up to a part.
    fn acknowledge(&mut self, number: u64) {
        while let Some((_, bytes)) = self.unacknowledged.front().filter(|(sent, _)| *sent <= number) {
            self.unacknowledged_bytes -= bytes;
            self.unacknowledged.pop_front();
        }
    }
}

impl TerminalViewer {
    /// Creates a viewer of a feed, beginning with the next capture.
    pub(super) fn new(id: String, device: &str, feed: Arc<TerminalFeed>) -> TerminalViewer {
        let progress = Mutex::new(ViewerProgress::from(LogPosition::Capture(feed.ask_for_capture())));
        TerminalViewer { id, device: device.to_owned(), feed, progress }
    }

    pub(in crate::web) fn is_of(&self, device: &str) -> bool {
        self.device == device
    }

    /// Returns the feed that it shows.
    pub(in crate::web) fn feed(&self) -> &Arc<TerminalFeed> {
        &self.feed
    }

    /// Notes that the page has interpreted everything up to a part.
    pub(in crate::web) fn acknowledge(&self, number: u64) {
        self.progress().acknowledge(number);
        self.feed.nudge(&self.id);
    }

    /// Returns the next event for the page, or `None` if there is none now. The viewer is woken again after an event.
    pub(in crate::web) fn next_event(&self) -> Option<Event> {
        let event = self.find_event()?;
        self.feed.nudge(&self.id);
        Some(event)
    }

    fn find_event(&self) -> Option<Event> {
        let mut progress = self.progress();
        // The end comes first: after it nothing wakes the stream again.
        if let Some(why) = self.feed.end_reason() {
            let is_new = !std::mem::replace(&mut progress.has_sent_end, true);
            return is_new.then(|| Event::default().event("gone").data(&*why));
        }
        let driving = self.feed.driving(&self.id);
        if progress.sent_driving != Some(driving) {
            progress.sent_driving = Some(driving);
            let data = json!({ "id": self.id, "driving": driving });
            return Some(Event::default().event("viewer").data(data.to_string()));
        }
        let part = match self.feed.next_part(progress.position) {
            FoundPart::Part(part) => part,
            FoundPart::Nothing => return None,
            FoundPart::Dropped => {
                // A page that reads nothing needs no capture either.
                if progress.unacknowledged.is_empty() {
                    progress.position = LogPosition::Capture(self.feed.ask_for_capture());
                }
                return None;
            }
        };
        if !progress.has_room_for(part.data.len()) {
            return None;
        }
        progress.note_sent(&part);
        let name = match part.kind {
            PartKind::Screen => "screen",
            PartKind::Check => "check",
            PartKind::Output => "output",
        };
        Some(Event::default().event(name).data(&*part.data))
    }

    fn progress(&self) -> std::sync::MutexGuard<'_, ViewerProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TerminalViewer {
    fn drop(&mut self) {
        self.feed.leave(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u64, bytes: usize) -> LoggedPart {
        LoggedPart { kind: PartKind::Output, number, data: "x".repeat(bytes).into() }
    }

    #[test]
    fn a_page_that_acknowledges_nothing_gets_only_so_many_bytes() {
        let mut progress = ViewerProgress::from(LogPosition::Part(0));
        assert!(progress.has_room_for(10 * MAX_UNACKNOWLEDGED_BYTES), "a large part is sent alone");
        progress.note_sent(&part(0, MAX_UNACKNOWLEDGED_BYTES));
        assert!(!progress.has_room_for(1));
        progress.acknowledge(0);
        assert!(progress.has_room_for(1));
        assert_eq!((progress.unacknowledged_bytes, progress.position), (0, LogPosition::Part(1)));
    }

    #[test]
    fn an_acknowledgement_covers_earlier_parts_and_cannot_cover_later_ones() {
        let mut progress = ViewerProgress::from(LogPosition::Part(0));
        (0..4).for_each(|number| progress.note_sent(&part(number, 100)));
        progress.acknowledge(2);
        assert_eq!(progress.unacknowledged_bytes, 100);
        progress.acknowledge(u64::MAX);
        progress.acknowledge(0);
        progress.note_sent(&part(4, 100));
        assert_eq!(progress.unacknowledged_bytes, 100);
    }
}
