//! Detects jumps of the wall clock relative to the monotonic clock, which occur when the clock is set and when the
//! machine was suspended. Pure: times are passed in.

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The minimum jump. Gradual clock adjustments never differ this much between two checks.
const MIN_JUMP: Duration = Duration::from_secs(10);

/// The last values of both clocks, and the last jump.
#[derive(Debug, Default)]
pub(super) struct ClockJumpDetector {
    seen: Option<(Timestamp, Instant)>,
    jumped: Option<Timestamp>,
}

impl ClockJumpDetector {
    /// Compares both clocks. Returns the time since which the wall clock has been steady, or `None` if it never jumped.
    pub(super) fn observe(&mut self, clock: Timestamp, moment: Instant) -> Option<Timestamp> {
        if let Some((clock_then, then)) = self.seen {
            let passed = moment.saturating_duration_since(then).as_secs_f64();
            let shown = clock.duration_since(clock_then).as_secs_f64();
            if (shown - passed).abs() > MIN_JUMP.as_secs_f64() {
                self.jumped = Some(clock);
            }
        }
        self.seen = Some((clock, moment));
        self.jumped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_jump_is_distinguished_from_elapsed_time() {
        let begun = Instant::now();
        let mut steady = ClockJumpDetector::default();
        // The wall clock, the elapsed time, and the expected last jump.
        for (shown, passed, jumped) in [
            (1000, 0, None),
            (1060, 60, None),
            (1129, 120, None),
            (87_480, 180, Some(87_480)),
            (87_540, 240, Some(87_480)),
            (1300, 300, Some(1300)),
            (1360, 360, Some(1300)),
        ] {
            let clock = Timestamp::from_second(shown).unwrap();
            let jump = steady.observe(clock, begun + Duration::from_secs(passed));
            assert_eq!(jump.map(|at| at.as_second()), jumped, "{shown} {passed}");
        }
    }
}
