//! Limits how often a pairing code may be tried, by all callers together.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

/// Number of attempts within a minute. A user needs one; a code has 96 random bits.
const MAX_ATTEMPTS: usize = 10;
const PERIOD: SignedDuration = SignedDuration::from_mins(1);

/// The attempts of the last minute.
#[derive(Debug, Default)]
pub struct PairingAttempts(VecDeque<Timestamp>);

impl PairingAttempts {
    /// Counts an attempt and returns whether it is permitted.
    pub fn permit(&mut self, now: Timestamp) -> bool {
        // Times in the future were recorded before the clock was set back.
        self.0.retain(|at| *at <= now && now.duration_since(*at) < PERIOD);
        if self.0.len() >= MAX_ATTEMPTS {
            return false;
        }
        self.0.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_beyond_the_limit_wait_for_the_next_minute() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut attempts = PairingAttempts::default();
        assert!((0..10).all(|second| attempts.permit(at(second))));
        assert!(!attempts.permit(at(10)));
        assert!(!attempts.permit(at(59)));
        assert!(attempts.permit(at(60)), "the first attempt is a minute old");
        assert!(!attempts.permit(at(60)));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_block_attempts() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut attempts = PairingAttempts::default();
        assert!((0..10).all(|_| attempts.permit(at(5000))));
        assert!(attempts.permit(at(10)));
    }
}
