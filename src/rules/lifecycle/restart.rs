//! Decides when an agent that ended by itself is restarted: exponential backoff with a limit on attempts.
//!
//! The time of the next restart is stored before it is due, so that a supervisor that was killed neither forgets nor
//! repeats it. The caller ensures that only one restart runs at a time, and clears the earlier restarts when a user
//! starts an agent.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::model::{AgentRecord, RestartConfig, RestartPolicy, Status};

/// Start of the reason of an agent that reached the limit on restarts.
pub const GIVEN_UP: &str = "given up after ";
/// Maximum share that jitter adds to a delay, so that agents that crashed together do not all restart together.
const MAX_JITTER: f64 = 0.25;

/// Decision about the restart of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestartDecision {
    /// There is nothing to do now.
    Nothing,
    /// Store the time at which the restart is due.
    At {
        /// Time of the restart.
        at: Timestamp,
    },
    /// Restart the agent now.
    Now,
    /// Do not restart the agent any more.
    GiveUp {
        /// Reason to store in the status.
        why: String,
    },
}

/// Decides for one agent; `jitter` returns a random number from 0 to 1.
pub fn plan(
    record: &AgentRecord,
    config: &RestartConfig,
    jitter: impl FnOnce() -> f64,
    now: Timestamp,
) -> RestartDecision {
    if !is_wanted(record) {
        return RestartDecision::Nothing;
    }
    let done = within_window(&record.restarts, config.window, now);
    if done >= config.max_restarts as usize {
        let (window, how) = (in_words(config.window), &record.status.reason);
        return RestartDecision::GiveUp { why: format!("{GIVEN_UP}{done} restarts in {window}: {how}") };
    }
    match record.restart.next_at {
        Some(at) if at <= now => RestartDecision::Now,
        // A wait beyond the maximum is possible only if the clock was set back.
        Some(at) if at > later(now, max_wait(config)) => {
            RestartDecision::At { at: later(now, config.max_delay) }
        }
        Some(_) => RestartDecision::Nothing,
        None => RestartDecision::At { at: later(record.status.since.min(now), wait(done, config, jitter())) },
    }
}

/// Returns whether the policy asks for a restart and the limit was not reached.
fn is_wanted(record: &AgentRecord) -> bool {
    let ended = match record.restart.policy {
        RestartPolicy::No => false,
        RestartPolicy::OnFailure => record.status.status == Status::Crashed,
        RestartPolicy::Always => matches!(record.status.status, Status::Crashed | Status::Exited),
    };
    ended && !record.status.reason.starts_with(GIVEN_UP)
}

/// Counts the restarts within the window. Times in the future were stored before the clock was set back and are
/// ignored.
fn within_window(restarts: &[Timestamp], window: Duration, now: Timestamp) -> usize {
    let ago = |at: &Timestamp| Duration::try_from(now.duration_since(*at)).ok();
    restarts.iter().filter(|at| ago(at).is_some_and(|ago| ago < window)).count()
}

/// Returns the delay before the next restart, which doubles with each restart in the window.
fn wait(done: usize, config: &RestartConfig, jitter: f64) -> Duration {
    let factor = u32::try_from(done).ok().and_then(|done| 1u32.checked_shl(done)).unwrap_or(u32::MAX);
    let steady = config.first_delay.saturating_mul(factor).min(config.max_delay);
    steady.saturating_add(
        steady.mul_f64(MAX_JITTER * if jitter.is_nan() { 0.0 } else { jitter.clamp(0.0, 1.0) }),
    )
}

fn max_wait(config: &RestartConfig) -> Duration {
    config.max_delay.saturating_add(config.max_delay / 4)
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    moment.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn in_words(duration: Duration) -> String {
    match duration.as_secs() {
        secs if secs >= 3600 && secs % 3600 == 0 => format!("{} h", secs / 3600),
        secs if secs >= 60 && secs % 60 == 0 => format!("{} min", secs / 60),
        secs => format!("{secs} s"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Config, StatusNote};
    use crate::rules::status::decide::tests::{at, record};

    fn config() -> RestartConfig {
        Config::default().restart
    }

    fn ended(status: Status, policy: RestartPolicy) -> AgentRecord {
        let mut record = record("a", status);
        record.status = StatusNote::new(status, at(10_000), "it ended with code 3");
        record.restart.policy = policy;
        record
    }

    fn crashed(restarts: &[i64], next_at: Option<i64>) -> AgentRecord {
        let mut record = ended(Status::Crashed, RestartPolicy::OnFailure);
        record.restarts = restarts.iter().map(|second| at(*second)).collect();
        record.restart.next_at = next_at.map(at);
        record
    }

    #[test]
    fn restart_policy_selects_the_agents() {
        use RestartPolicy::*;
        for status in Status::ALL {
            for policy in RestartPolicy::ALL {
                let wanted = match policy {
                    No => false,
                    OnFailure => status == Status::Crashed,
                    Always => status == Status::Crashed || status == Status::Exited,
                };
                let plan = plan(&ended(status, policy), &config(), || 0.0, at(10_000));
                assert_eq!(plan != RestartDecision::Nothing, wanted, "{policy} {status}");
            }
        }
    }

    #[test]
    fn restart_delays_double_up_to_the_limit() {
        let generous = RestartConfig { max_restarts: 100, ..config() };
        for (done, jitter, expected) in [
            (0, 0.0, 10_001_000),
            (0, 1.0, 10_001_250),
            (1, 0.0, 10_002_000),
            (4, 0.5, 10_018_000),
            (8, 0.0, 10_256_000),
            (9, 0.0, 10_300_000),
            (40, 1.0, 10_375_000),
            (40, 7.0, 10_375_000),
            (40, f64::NAN, 10_300_000),
        ] {
            let record = crashed(&vec![9_900; done], None);
            let expected = Timestamp::from_millisecond(expected).unwrap();
            assert_eq!(
                plan(&record, &generous, || jitter, at(10_000)),
                RestartDecision::At { at: expected },
                "{done} {jitter}"
            );
        }
    }

    #[test]
    fn planned_restart_is_executed_when_due() {
        for (next_at, expected) in [
            (10_004, RestartDecision::Nothing),
            (10_003, RestartDecision::Now),
            (10_001, RestartDecision::Now),
            (10_378, RestartDecision::Nothing),
            (10_379, RestartDecision::At { at: at(10_303) }),
            (99_999, RestartDecision::At { at: at(10_303) }),
        ] {
            assert_eq!(
                plan(&crashed(&[], Some(next_at)), &config(), || 0.9, at(10_003)),
                expected,
                "{next_at}"
            );
        }
    }

    #[test]
    fn restarts_end_once_after_too_many_within_the_window() {
        let five = [9_401, 9_500, 9_600, 9_700, 9_999];
        let given_up = RestartDecision::GiveUp {
            why: "given up after 5 restarts in 10 min: it ended with code 3".into(),
        };
        assert_eq!(plan(&crashed(&five, None), &config(), || 0.0, at(10_000)), given_up);
        assert_eq!(plan(&crashed(&five, Some(9_000)), &config(), || 0.0, at(10_000)), given_up);
        assert_ne!(plan(&crashed(&five, None), &config(), || 0.0, at(10_001)), given_up);
        let mut given_up = crashed(&five, Some(9_000));
        given_up.status.reason = "given up after 5 restarts in 10 min: it ended with code 3".into();
        assert_eq!(plan(&given_up, &config(), || 0.0, at(10_000)), RestartDecision::Nothing);
        assert_eq!(plan(&given_up, &config(), || 0.0, at(99_999)), RestartDecision::Nothing);
    }

    #[test]
    fn times_from_before_the_clock_was_set_back_do_not_block() {
        let ahead = crashed(&[90_000; 9], None);
        assert_eq!(plan(&ahead, &config(), || 0.0, at(500)), RestartDecision::At { at: at(501) });
    }

    #[test]
    fn time_window_is_described_in_words() {
        for (secs, words) in [(45, "45 s"), (90, "90 s"), (600, "10 min"), (7200, "2 h")] {
            assert_eq!(in_words(Duration::from_secs(secs)), words);
        }
    }

    proptest! {
        /// For all numbers and clocks, an agent that is to be restarted is restarted, given up, or due within the
        /// maximum delay.
        #[test]
        fn lock_wait_ends_at_its_timeout(
            restarts in prop::collection::vec(0i64..200_000, 0..8),
            next_at in prop::option::of(0i64..200_000),
            since in 0i64..200_000,
            now in 0i64..200_000,
            jitter in 0.0f64..1.0,
        ) {
            let mut record = crashed(&restarts, next_at);
            record.status.since = at(since);
            let latest = later(at(now), max_wait(&config()));
            match plan(&record, &config(), || jitter, at(now)) {
                RestartDecision::Nothing => prop_assert!(record.restart.next_at.is_some_and(|next| next <= latest)),
                RestartDecision::At { at } => prop_assert!(at <= latest),
                RestartDecision::Now | RestartDecision::GiveUp { .. } => {}
            }
        }
    }
}
