//! When tmux's timers are to be gathered: after something happened, but seldom. Pure: told of moments, never asks.

use std::time::{Duration, Instant};

/// Gathering makes whoever waits for a silence wait up to two seconds longer: this often that does no harm.
const SELDOM: Duration = Duration::from_secs(10);

/// What was stirred up and not yet gathered.
#[derive(Debug)]
pub(super) struct Calm {
    is_stirred: bool,
    gathered: Option<Instant>,
}

impl Default for Calm {
    /// Who begins does not know what happened before.
    fn default() -> Calm {
        Calm { is_stirred: true, gathered: None }
    }
}

impl Calm {
    /// Something happened: timers may have come apart.
    pub(super) fn stir(&mut self) {
        self.is_stirred = true;
    }

    /// How long until they are to be gathered; none when there is no need.
    pub(super) fn due_in(&self, now: Instant) -> Option<Duration> {
        let wait = |gathered: Instant| (gathered + SELDOM).saturating_duration_since(now);
        self.is_stirred.then(|| self.gathered.map_or(Duration::ZERO, wait))
    }

    /// They were.
    pub(super) fn gathered(&mut self, now: Instant) {
        *self = Calm { is_stirred: false, gathered: Some(now) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stirred_is_gathered_soon_but_seldom_and_calm_is_left_alone() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut calm = Calm::default();
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
