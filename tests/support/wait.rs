//! Waiting on a named condition, never on a clock.

use std::time::{Duration, Instant};

/// How long any condition may take: generous, because a loaded two-core machine runs all tests at once.
const BOUND: Duration = Duration::from_secs(20);

/// The shortest pause between two looks. The pause is as long as the look itself where that takes longer, so that tests
/// that start a program to look leave at least half of a core to the program they wait for.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

/// Looks until `condition` holds; panics with `what` and what `seen` tells when it never does.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool, seen: impl FnOnce() -> String) {
    if !holds_within(BOUND, &mut condition) {
        panic!("waited {BOUND:?} in vain until {what}\n{}", seen());
    }
}

/// Whether `condition` comes to hold before `bound` is over.
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
