//! The last parts of a screen, shared by all of its viewers.

use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum size of the kept parts in bytes. The last part is kept in any case.
const MAX_LOG_BYTES: usize = 1 << 20;

/// Use of a part for a viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// A capture with history, for viewers that begin or have fallen behind. Others ignore it.
    Screen,
    /// A capture that viewers compare with.
    Check,
    /// Output of the agent.
    Output,
}

/// A part as it is sent to all viewers.
#[derive(Debug, Clone)]
pub(super) struct LoggedPart {
    pub(super) kind: PartKind,
    /// Number of the part. The numbers of successive parts are successive.
    pub(super) number: u64,
    /// The data of the event: number and body as a JSON array.
    pub(super) data: Arc<str>,
}

/// Where a viewer is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogPosition {
    /// It needs a capture with this number or a later one.
    Capture(u64),
    /// It needs the part with this number and all later ones.
    Part(u64),
}

/// What comes next for a viewer.
#[derive(Debug)]
pub(super) enum FoundPart {
    Part(LoggedPart),
    /// The viewer has everything, or waits for a capture.
    Nothing,
    /// The part that the viewer needs was dropped.
    Dropped,
}

/// The last parts, the oldest first.
#[derive(Debug, Default)]
pub(super) struct PartLog {
    parts: VecDeque<LoggedPart>,
    /// Number of the next part.
    end: u64,
    bytes: usize,
}

impl PartLog {
    /// Adds a part with a body in JSON, and drops the oldest ones beyond the limit.
    pub(super) fn push(&mut self, kind: PartKind, body: &str) {
        let number = self.end;
        self.end += 1;
        let data: Arc<str> = format!("[{number},{body}]").into();
        self.bytes += data.len();
        self.parts.push_back(LoggedPart { kind, number, data });
        while self.bytes > MAX_LOG_BYTES && self.parts.len() > 1 {
            self.bytes -= self.parts.pop_front().map_or(0, |dropped| dropped.data.len());
        }
    }

    /// Returns the number that the next part will have.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Returns the part that a viewer at this position needs.
    pub(super) fn next(&self, position: LogPosition) -> FoundPart {
        let found = match position {
            LogPosition::Capture(from) if self.parts.front().is_some_and(|first| first.number > from) => {
                let capture = self.parts.iter().rev().find(|part| part.kind == PartKind::Screen);
                return capture.map_or(FoundPart::Dropped, |part| FoundPart::Part(part.clone()));
            }
            LogPosition::Capture(from) => {
                self.parts.iter().rev().find(|part| part.kind == PartKind::Screen && part.number >= from)
            }
            LogPosition::Part(number) if self.parts.front().is_some_and(|first| first.number > number) => {
                return FoundPart::Dropped;
            }
            LogPosition::Part(number) => {
                self.parts.iter().find(|part| part.number >= number && part.kind != PartKind::Screen)
            }
        };
        found.map_or(FoundPart::Nothing, |part| FoundPart::Part(part.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(log: &PartLog, position: LogPosition) -> Option<u64> {
        match log.next(position) {
            FoundPart::Part(part) => Some(part.number),
            FoundPart::Nothing | FoundPart::Dropped => None,
        }
    }

    #[test]
    fn a_viewer_begins_with_a_new_capture_and_then_gets_output_and_checks() {
        let mut log = PartLog::default();
        for kind in [PartKind::Screen, PartKind::Output, PartKind::Screen, PartKind::Check] {
            log.push(kind, "1");
        }
        assert_eq!(found(&log, LogPosition::Capture(0)), Some(2), "the newest capture");
        assert_eq!(found(&log, LogPosition::Capture(3)), None, "an older capture lacks later changes");
        assert_eq!(found(&log, LogPosition::Part(1)), Some(1));
        assert_eq!(found(&log, LogPosition::Part(2)), Some(3), "captures of others are skipped");
        assert_eq!(found(&log, LogPosition::Part(4)), None);
    }

    #[test]
    fn the_log_is_bounded_and_says_when_a_viewer_is_too_late() {
        let mut log = PartLog::default();
        let body = "x".repeat(1000);
        for _ in 0..MAX_LOG_BYTES / 500 {
            log.push(PartKind::Output, &body);
        }
        assert!(log.bytes <= MAX_LOG_BYTES && log.parts.len() < MAX_LOG_BYTES / 900);
        assert!(matches!(log.next(LogPosition::Part(0)), FoundPart::Dropped));
        assert_eq!(found(&log, LogPosition::Part(log.end() - 1)), Some(log.end() - 1));
    }
}
