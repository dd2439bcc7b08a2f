//! Decides when tmux's timers are coalesced: after something happened, but with a minimum interval. Pure: times are
//! passed in.

use std::time::{Duration, Instant};

/// The minimum interval. Coalescing delays the detection of silence by up to two seconds, which is harmless at this
/// rate.
const COALESCE_INTERVAL: Duration = Duration::from_secs(10);

/// Whether something happened since the timers were last coalesced, and when that was.
#[derive(Debug)]
pub(super) struct TimerCoalescer {
    is_stirred: bool,
    gathered: Option<Instant>,
}

impl Default for TimerCoalescer {
    /// Starts dirty: a new supervisor has no history.
    fn default() -> TimerCoalescer {
        TimerCoalescer { is_stirred: true, gathered: None }
    }
}

impl TimerCoalescer {
    /// Records that something happened, after which timers may fire at different times.
    pub(super) fn stir(&mut self) {
        self.is_stirred = true;
    }

    /// Returns the time until the timers should be coalesced, or `None` if there is no need.
    pub(super) fn due_in(&self, now: Instant) -> Option<Duration> {
        let wait = |gathered: Instant| (gathered + COALESCE_INTERVAL).saturating_duration_since(now);
        self.is_stirred.then(|| self.gathered.map_or(Duration::ZERO, wait))
    }

    /// Records that the timers were coalesced.
    pub(super) fn gathered(&mut self, now: Instant) {
        *self = TimerCoalescer { is_stirred: false, gathered: Some(now) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stirred_is_gathered_soon_but_seldom_and_calm_is_left_alone() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut calm = TimerCoalescer::default();
        assert_eq!(calm.due_in(begun), Some(Duration::ZERO));
        calm.gathered(begun);
        assert_eq!(calm.due_in(at(1)), None);
        assert_eq!(calm.due_in(at(1000)), None);
        calm.stir();
        calm.stir();
        assert_eq!(calm.due_in(at(4)), Some(Duration::from_secs(6)));
        assert_eq!(calm.due_in(at(10)), Some(Duration::ZERO));
        assert_eq!(calm.due_in(at(99)), Some(Duration::ZERO));
        calm.gathered(at(99));
        calm.stir();
        assert_eq!(calm.due_in(at(100)), Some(Duration::from_secs(9)));
    }
}
