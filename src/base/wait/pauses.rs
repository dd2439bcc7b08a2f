//! Pauses between repeated checks of a condition that is expected to change within milliseconds.

use std::time::Duration;

/// The first pause. tmux notices the end of a process within one or two milliseconds on an idle machine.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// The longest pause: a delay that a user does not notice, at a cost of 20 checks per second.
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Returns the pauses between the checks of a wait that lasts `total`. Each is twice as long as the previous one, up to
/// a limit; together they are exactly as long as the wait.
pub fn growing_pauses(total: Duration) -> impl Iterator<Item = Duration> {
    let mut left = total;
    let mut next = FIRST_PAUSE;
    std::iter::from_fn(move || {
        let pause = next.min(left);
        left -= pause;
        next = (next * 2).min(MAX_PAUSE);
        (!pause.is_zero()).then_some(pause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_fill_the_whole_wait() {
        let pauses: Vec<Duration> = growing_pauses(Duration::from_secs(2)).collect();
        assert_eq!(pauses[..3], [2, 4, 8].map(Duration::from_millis));
        assert_eq!(pauses.iter().max(), Some(&MAX_PAUSE));
        assert_eq!(pauses.iter().sum::<Duration>(), Duration::from_secs(2));
        assert!(pauses.len() < 50, "{} looks at tmux", pauses.len());
    }

    #[test]
    fn a_wait_of_no_length_has_no_pause() {
        assert_eq!(growing_pauses(Duration::ZERO).count(), 0);
        let short: Vec<Duration> = growing_pauses(Duration::from_millis(3)).collect();
        assert_eq!(short, [2, 1].map(Duration::from_millis));
    }
}
