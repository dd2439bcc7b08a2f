//! Waiting for a named condition instead of a fixed time.

use std::time::{Duration, Instant};

/// Time limit of a condition: generous, because a loaded two-core machine runs all tests at once.
const BOUND: Duration = Duration::from_secs(20);

/// The shortest pause between two checks. The pause is as long as the check itself if that takes longer, so that tests
/// that start a program for a check leave at least half of a core to the program they wait for.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

/// Waits until `condition` holds; panics with `what` and the output of `seen` on a timeout.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool, seen: impl FnOnce() -> String) {
    if !holds_within(BOUND, &mut condition) {
        panic!("waited {BOUND:?} in vain until {what}\n{}", seen());
    }
}

/// Returns whether `condition` holds before `bound` is over.
pub fn holds_within(bound: Duration, condition: &mut dyn FnMut() -> bool) -> bool {
    let deadline = Instant::now() + bound;
    loop {
        let looked = Instant::now();
        if condition() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(looked.elapsed().max(SHORTEST_PAUSE));
    }
}
