//! Limits how often a wrong pairing code is answered, by all callers together.
//!
//! A valid code is always accepted: any local process can send wrong codes and would otherwise lock out the owner. The
//! limit does not carry the security. A code has 96 random bits and is valid for ten minutes; a million attempts a second
//! would guess it with a probability below 10^-20.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

/// Number of wrong codes within a minute that are answered as such. A user mistypes a few.
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
