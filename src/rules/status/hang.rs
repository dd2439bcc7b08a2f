//! Decides whether a working agent hangs.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::model::{Agent, Status};

/// Start of the reason of a hung agent.
pub const HUNG: &str = "no sign of life";

/// Returns whether the agent works, but has printed nothing for the time limit and runs no program; a limit of zero
/// disables the check.
pub fn is_hung(agent: &Agent, children: usize, after: Duration, now: Timestamp) -> bool {
    let Ok(after) = SignedDuration::try_from(after) else { return false };
    // Output with a time in the future was recorded before the clock was set back, and is not conclusive.
    agent.status == Status::Working && children == 0 && after.is_positive() && quiet(agent, now) >= after
}

/// Returns how long the agent has printed nothing.
pub fn quiet(agent: &Agent, now: Timestamp) -> SignedDuration {
    let last_sign = agent.last_activity.map_or(agent.status_since, |at| at.max(agent.status_since));
    now.duration_since(last_sign)
}

/// Returns the restart times, moved forward by the time for which the agent hung. Hanging for an hour is not running
/// well for an hour, and an agent that hangs after each restart must reach the limit on restarts.
pub fn without_quiet(restarts: &[Timestamp], quiet: SignedDuration) -> Vec<Timestamp> {
    restarts.iter().map(|at| at.saturating_add(quiet).unwrap_or(*at)).collect()
}

/// Returns whether the clock has been steady for too short a time to decide.
pub fn is_too_soon(steady_since: Timestamp, after: Duration, now: Timestamp) -> bool {
    Duration::try_from(now.duration_since(steady_since)).is_ok_and(|steady| steady < after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lifecycle::capacity::tests::agent;
    use crate::rules::status::decide::tests::at;

    #[test]
    fn only_a_silent_working_agent_without_children_hangs() {
        use Status::*;
        // Status, start of the status, last output, children, now, expected result.
        for (status, since, printed, children, now, expected) in [
            (Working, 100, Some(200), 0, 500, true),
            (Working, 100, Some(200), 0, 499, false),
            (Working, 100, None, 0, 400, true),
            (Working, 300, Some(200), 0, 500, false),
            (Working, 100, Some(200), 1, 500, false),
            (Working, 100, Some(900), 0, 500, false),
            (Idle, 100, Some(200), 0, 500, false),
            (Waiting, 100, Some(200), 0, 500, false),
            (Unknown, 100, Some(200), 0, 500, false),
        ] {
            let mut agent = agent("a", status);
            (agent.status_since, agent.last_activity) = (at(since), printed.map(at));
            let hung = is_hung(&agent, children, Duration::from_secs(300), at(now));
            assert_eq!(hung, expected, "{status} {since} {printed:?} {children} {now}");
        }
        assert!(is_too_soon(at(1000), Duration::from_secs(300), at(1299)));
        assert!(!is_too_soon(at(1000), Duration::from_secs(300), at(1300)));
        assert!(!is_hung(&agent("a", Working), 0, Duration::ZERO, at(9999)));
        assert!(!is_hung(&agent("a", Working), 0, Duration::MAX, at(9999)));
    }

    #[test]
    fn time_spent_hanging_does_not_count() {
        let mut agent = agent("a", Status::Working);
        (agent.status_since, agent.last_activity) = (at(100), Some(at(160)));
        let quiet = quiet(&agent, at(1060));
        assert_eq!(quiet, SignedDuration::from_secs(900));
        assert_eq!(without_quiet(&[at(20), at(90)], quiet), [at(920), at(990)]);
    }
}
