//! Decides when tmux's timers are coalesced: after something happened, but with a minimum interval. Pure: times are
//! passed in.

use std::time::{Duration, Instant};

/// The minimum interval. Coalescing delays the detection of silence by up to two seconds, which is harmless at this
/// rate.
const COALESCE_INTERVAL: Duration = Duration::from_secs(10);

/// Whether something happened since the timers were last coalesced, and when that was.
#[derive(Debug)]
pub(super) struct TimerCoalescer {
    has_activity: bool,
    gathered: Option<Instant>,
}

impl Default for TimerCoalescer {
    /// Starts dirty: a new supervisor has no history.
    fn default() -> TimerCoalescer {
        TimerCoalescer { has_activity: true, gathered: None }
    }
}

impl TimerCoalescer {
    /// Records that something happened, after which timers may fire at different times.
    pub(super) fn note_activity(&mut self) {
        self.has_activity = true;
    }

    /// Returns the time until the timers should be coalesced, or `None` if there is no need.
    pub(super) fn due_in(&self, now: Instant) -> Option<Duration> {
        let wait = |gathered: Instant| (gathered + COALESCE_INTERVAL).saturating_duration_since(now);
        self.has_activity.then(|| self.gathered.map_or(Duration::ZERO, wait))
    }

    /// Records that the timers were coalesced.
    pub(super) fn record_coalesced(&mut self, now: Instant) {
        *self = TimerCoalescer { has_activity: false, gathered: Some(now) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_coalesced_soon_after_activity_and_not_without_it() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut calm = TimerCoalescer::default();
        assert_eq!(calm.due_in(begun), Some(Duration::ZERO));
        calm.record_coalesced(begun);
        assert_eq!(calm.due_in(at(1)), None);
        assert_eq!(calm.due_in(at(1000)), None);
        calm.note_activity();
        calm.note_activity();
        assert_eq!(calm.due_in(at(4)), Some(Duration::from_secs(6)));
        assert_eq!(calm.due_in(at(10)), Some(Duration::ZERO));
        assert_eq!(calm.due_in(at(99)), Some(Duration::ZERO));
        calm.record_coalesced(at(99));
        calm.note_activity();
        assert_eq!(calm.due_in(at(100)), Some(Duration::from_secs(9)));
    }
}
