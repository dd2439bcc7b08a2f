//! Failed turns: the status of the agent, how long its queue is held, and how it is released.
//!
//! Login and credit hold the queue until the user acts. A limit holds it until the reset. A limit without a known reset
//! and any other error hold it for a delay, because only another turn shows whether they are over. Each of these turns
//! may fail another task, so after [`MAX_ATTEMPTS`] turns that failed for the same cause the queue is held until the user
//! acts.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::{
    FailedTurn, FailureCause, FailureSource, Question, Status, StatusNote, TurnFailure, WaitingFor,
};
use crate::rules::status::from_hook::one_line;

/// Reason of an agent whose limit has reset.
pub const LIMIT_RESET: &str = "its usage limit has reset";
/// Reason of an agent whose queue was released by `task retry`.
pub const RELEASED: &str = "a retry was requested";

/// Number of turns that may fail for the same cause before the queue is held until the user acts.
const MAX_ATTEMPTS: u32 = 3;
/// Holds after the first and the second failure of unknown cause. The first covers a single failed request, the second
/// most outages of an endpoint.
const ERROR_DELAYS: [Duration; MAX_ATTEMPTS as usize - 1] =
    [Duration::from_secs(30), Duration::from_secs(15 * 60)];
/// Holds after the first and the second limit without a reset time. The first covers limits per minute, the second
/// limits per hour.
const LIMIT_DELAYS: [Duration; MAX_ATTEMPTS as usize - 1] =
    [Duration::from_secs(2 * 60), Duration::from_secs(60 * 60)];
/// Margin added to a reset time. Agent CLIs round it to the minute, and Claude Code 2.1 polls it every 30 s to continue
/// by itself, which has precedence over a retry.
const RESET_MARGIN: Duration = Duration::from_secs(90);

/// Returns the status after a failed turn.
pub fn note_after(
    noted: &StatusNote,
    failure: &TurnFailure,
    source: FailureSource,
    now: Timestamp,
) -> StatusNote {
    let in_a_row = noted.failure.as_ref().map_or(0, |last| last.in_a_row).saturating_add(1);
    let resets_at = failure.resets_at.filter(|_| failure.cause == FailureCause::Limit);
    let same_cause = earlier_of_cause(noted, failure.cause) + u32::from(resets_at.is_none());
    let failed = FailedTurn {
        cause: failure.cause,
        at: now,
        resets_at,
        held_until: held_until(failure.cause, resets_at, same_cause, now),
        in_a_row,
        same_cause,
        source,
        paused: false,
    };
    let reason = match one_line(&failure.message) {
        empty if empty.is_empty() => format!("its turn failed: {}", failure.cause),
        message => message,
    };
    let note = match failure.cause {
        FailureCause::Login | FailureCause::Credit => {
            StatusNote::waiting(WaitingFor::Setup, now, &reason).asking(Question::new(&failure.message))
        }
        FailureCause::Limit => StatusNote::waiting(WaitingFor::Limit, now, &reason),
        FailureCause::Error => StatusNote::new(Status::Idle, now, &reason),
    };
    StatusNote { failure: Some(failed), ..note }
}

/// Returns the status during a turn that the agent CLI repeats by itself. Such a turn is not over, and neither is its
/// task. A long wait for a limit, a login or credit is shown as such; after any other error the agent is working.
pub fn note_while_paused(noted: &StatusNote, failure: &TurnFailure, now: Timestamp) -> StatusNote {
    if failure.cause == FailureCause::Error {
        return StatusNote::new(Status::Working, now, format!("it retries: {}", one_line(&failure.message)));
    }
    let mut note = note_after(noted, failure, FailureSource::Hook, now);
    if let Some(failed) = &mut note.failure {
        failed.paused = true;
        // The turn has not failed yet.
        failed.same_cause = earlier_of_cause(noted, failure.cause);
    }
    note
}

/// Returns how many turns before this one have failed for the same cause, without a success in between.
fn earlier_of_cause(noted: &StatusNote, cause: FailureCause) -> u32 {
    let last = noted.failure.as_ref().filter(|last| last.cause == cause);
    last.map_or(0, |last| last.same_cause).min(u32::MAX - 1)
}

/// Returns when the queue is released, or `None` if only the user can release it.
fn held_until(
    cause: FailureCause,
    resets_at: Option<Timestamp>,
    same_cause: u32,
    now: Timestamp,
) -> Option<Timestamp> {
    let delays = match cause {
        FailureCause::Login | FailureCause::Credit => return None,
        FailureCause::Limit => LIMIT_DELAYS,
        FailureCause::Error => ERROR_DELAYS,
    };
    match resets_at {
        Some(reset) => Some(reset.max(now).saturating_add(RESET_MARGIN).unwrap_or(reset)),
        None => delays.get(same_cause.saturating_sub(1) as usize).map(|delay| now + *delay),
    }
}

/// Returns the status of an agent that waited for a limit that has reset since, or `None` if it does not wait for one.
pub fn note_after_reset(noted: &StatusNote, now: Timestamp) -> Option<StatusNote> {
    let failure = noted.failure().filter(|failure| !failure.paused)?;
    let failure = Some(failure).filter(|_| noted.waiting_for == Some(WaitingFor::Limit))?;
    let reset = failure.held_until.filter(|until| *until <= now)?;
    let failure = Some(failure.clone());
    Some(StatusNote { failure, ..StatusNote::new(Status::Idle, reset, LIMIT_RESET) })
}

/// Returns the status of an agent whose queue the user releases, or `None` if it is not held.
pub fn note_after_release(noted: &StatusNote, now: Timestamp) -> Option<StatusNote> {
    let failure = noted.failure().filter(|failure| failure.holds_queue(now) && !failure.paused)?.clone();
    Some(StatusNote { failure: Some(failure), ..StatusNote::new(Status::Idle, now, RELEASED) })
}

/// Keeps the last failure in the note of a later status, so that failures in a row are counted.
pub fn carry_over(noted: &StatusNote, note: StatusNote) -> StatusNote {
    match note.status {
        Status::Working | Status::Waiting if note.failure.is_none() => {
            StatusNote { failure: noted.failure.clone(), ..note }
        }
        _ => note,
    }
}

/// Explains why an agent's queue is held.
pub fn why_held(failure: &FailedTurn, name: &str) -> String {
    match failure.cause {
        FailureCause::Login => {
            format!("held until `{name}` is logged in; then send it a prompt: `symposium send {name} TEXT`")
        }
        FailureCause::Credit => {
            format!("held until `{name}` has credit; then send it a prompt: `symposium send {name} TEXT`")
        }
        FailureCause::Limit | FailureCause::Error => match failure.held_until {
            Some(until) => format!("held until {} after a failed turn of `{name}`", until.round_to_second()),
            None => {
                let times = failure.same_cause;
                format!("held after {times} failed turns of `{name}` in a row; {}", release_hint(name))
            }
        },
    }
}

/// Explains how the user releases a queue that is held without an end. Returns `None` for an agent whose queue is
/// released by itself, or whose cause names what is missing.
pub fn how_to_release(failure: &FailedTurn, name: &str) -> Option<String> {
    let is_repeated = matches!(failure.cause, FailureCause::Limit | FailureCause::Error);
    (is_repeated && failure.held_until.is_none()).then(|| {
        let times = failure.same_cause;
        format!("after {times} failed turns in a row its queue is held; {}", release_hint(name))
    })
}

fn release_hint(name: &str) -> String {
    format!("`symposium send {name} TEXT` or `symposium task retry ID` releases it")
}

/// Rounding for display.
trait RoundToSecond {
    /// Returns the time without its fraction of a second.
    fn round_to_second(&self) -> Timestamp;
}

impl RoundToSecond for Timestamp {
    fn round_to_second(&self) -> Timestamp {
        Timestamp::from_second(self.as_second()).unwrap_or(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::status::decide::tests::at;

    fn failure(cause: FailureCause, resets_at: Option<i64>) -> TurnFailure {
        TurnFailure { cause, message: "API Error: 500\n  no luck".into(), resets_at: resets_at.map(at) }
    }

    fn failed(noted: &StatusNote, cause: FailureCause, resets_at: Option<i64>) -> StatusNote {
        note_after(noted, &failure(cause, resets_at), FailureSource::Hook, at(100))
    }

    #[test]
    fn the_cause_decides_the_status_and_the_hold() {
        use FailureCause::{Credit, Error, Limit, Login};
        let working = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        for (cause, resets_at, status, waiting_for, held_until) in [
            (Login, None, Status::Waiting, Some(WaitingFor::Setup), None),
            (Credit, None, Status::Waiting, Some(WaitingFor::Setup), None),
            (Limit, None, Status::Waiting, Some(WaitingFor::Limit), Some(at(220))),
            (Limit, Some(1000), Status::Waiting, Some(WaitingFor::Limit), Some(at(1090))),
            (Limit, Some(50), Status::Waiting, Some(WaitingFor::Limit), Some(at(190))),
            (Error, None, Status::Idle, None, Some(at(130))),
            // Only a limit has a reset time.
            (Error, Some(1000), Status::Idle, None, Some(at(130))),
        ] {
            let note = failed(&working, cause, resets_at);
            assert_eq!((note.status, note.waiting_for), (status, waiting_for), "{cause}");
            assert_eq!(note.reason, "API Error: 500 no luck");
            let failure = note.failure().expect("the status is about the failure");
            assert_eq!((failure.held_until, failure.in_a_row), (held_until, 1), "{cause} {resets_at:?}");
        }
    }

    #[test]
    fn a_paused_turn_is_not_over_and_ends_with_no_reset() {
        let working = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        let limit = note_while_paused(&working, &failure(FailureCause::Limit, Some(1000)), at(100));
        assert_eq!((limit.status, limit.waiting_for), (Status::Waiting, Some(WaitingFor::Limit)));
        assert!(limit.failure().is_some_and(|failed| failed.paused && failed.resets_at == Some(at(1000))));
        assert_eq!(note_after_reset(&limit, at(5000)), None, "its CLI goes on with it, or ends it");
        assert_eq!(note_after_release(&limit, at(200)), None);
        let error = note_while_paused(&working, &failure(FailureCause::Error, None), at(100));
        assert_eq!((error.status, error.failure()), (Status::Working, None));
        assert_eq!(error.reason, "it retries: API Error: 500 no luck");
    }

    #[test]
    fn third_failure_for_the_same_cause_holds_the_queue_until_the_user_acts() {
        let again = |note: &StatusNote, cause, resets_at| {
            let working = carry_over(note, StatusNote::new(Status::Working, at(99), "it accepted a prompt"));
            assert_eq!(working.failure(), None, "the failure is of an earlier turn");
            failed(&working, cause, resets_at)
        };
        let held = |note: &StatusNote| note.failure().and_then(|failure| failure.held_until);
        for (cause, delays) in [(FailureCause::Error, [30, 900]), (FailureCause::Limit, [120, 3600])] {
            let mut note = StatusNote::new(Status::Idle, at(1), "before");
            for expected in delays.map(|delay| Some(at(100 + delay))).into_iter().chain([None, None]) {
                note = again(&note, cause, None);
                assert_eq!(held(&note), expected, "{cause}");
            }
            let hint = how_to_release(note.failure().unwrap(), "a").unwrap();
            assert!(hint.contains("after 4 failed turns") && hint.contains("task retry"), "{hint}");
            assert!(why_held(note.failure().unwrap(), "a").contains("symposium send a TEXT"));
            let reset = again(&note, FailureCause::Limit, Some(1000));
            assert_eq!(held(&reset), Some(at(1090)), "a known reset is waited for");
            // A release by the user permits one turn.
            let released = note_after_release(&note, at(200)).expect("it is held");
            assert_eq!(held(&again(&released, cause, None)), None);
        }
        let limit = again(&StatusNote::new(Status::Idle, at(1), "x"), FailureCause::Limit, None);
        assert_eq!(held(&again(&limit, FailureCause::Error, None)), Some(at(130)), "another cause");
        let mut note = StatusNote::new(Status::Working, at(1), "x");
        for _ in 0..5 {
            note = note_while_paused(&note, &failure(FailureCause::Limit, None), at(100));
        }
        assert_eq!(held(&note), Some(at(220)), "a turn that its CLI repeats has not failed");
        note = failed(&note, FailureCause::Error, None);
        let success = StatusNote::new(Status::Idle, at(101), "done");
        assert_eq!(carry_over(&note, success).failure, None, "a success ends the row");
        let mut many = note.clone();
        let row = many.failure.as_mut().expect("it failed");
        (row.in_a_row, row.same_cause) = (u32::MAX, u32::MAX);
        assert!(failed(&many, FailureCause::Error, None).failure().is_some());
    }

    #[test]
    fn an_agent_is_idle_once_its_limit_has_reset() {
        let noted = failed(&StatusNote::new(Status::Working, at(1), "x"), FailureCause::Limit, Some(1000));
        assert_eq!(note_after_reset(&noted, at(1089)), None);
        let reset = note_after_reset(&noted, at(2000)).expect("it has reset");
        assert_eq!((reset.status, reset.since, reset.failure()), (Status::Idle, at(1090), None));
        for cause in [FailureCause::Login, FailureCause::Error] {
            let other = failed(&StatusNote::new(Status::Working, at(1), "x"), cause, None);
            assert_eq!(note_after_reset(&other, at(9999)), None, "{cause}");
        }
    }

    #[test]
    fn user_releases_a_held_queue() {
        let working = StatusNote::new(Status::Working, at(1), "x");
        let login = failed(&working, FailureCause::Login, None);
        let released = note_after_release(&login, at(200)).expect("it was held");
        assert_eq!((released.status, released.failure()), (Status::Idle, None));
        assert_eq!(note_after_release(&released, at(201)), None);
        let error = failed(&working, FailureCause::Error, None);
        assert_eq!(note_after_release(&error, at(130)), None, "the hold is over");
    }
}
