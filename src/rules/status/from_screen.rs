//! The status that follows from an agent's screen when the agent starts to print, stops printing or rings the bell.
//!
//! For a CLI with complete hooks, the hooks take precedence over the screen, which only adds states that no hook
//! reports: a first-run dialog, an interrupted turn, an answered dialog. A CLI whose hooks have not reported since the
//! start may have none, for example behind a wrapper that drops them: its hooks get a short time for their first
//! report, and after that the screen is the only source.

use jiff::{SignedDuration, Timestamp};

use crate::model::{
    Extent, FailedTurn, FailureCause, FailureSource, OutputChange, Question, ScreenState, Status, StatusNote,
    TurnFailure, WaitingFor,
};
use crate::rules::status::from_hook::{BACK_AT_PROMPT, INTERRUPTED, READY, STARTED_WITH_TASK, one_line};
use crate::rules::status::turn_failure;

/// Maximum time that a CLI on a busy machine takes from a prompt to the first sign of work on its screen.
const FIRST_DRAW_TIMEOUT: SignedDuration = SignedDuration::from_secs(5);

/// Maximum time that a CLI on a busy machine takes from the hook that reports a dialog to the dialog on its screen.
const DIALOG_DRAW_TIMEOUT: SignedDuration = SignedDuration::from_secs(2);

/// Maximum time from the start to the first report of the hooks; until then a screen without a dialog is not
/// conclusive.
const FIRST_HOOK_TIMEOUT: SignedDuration = SignedDuration::from_secs(5);

/// One observation of a screen.
#[derive(Debug, Clone, Copy)]
pub struct ScreenObservation<'a> {
    /// State that the screen shows, if it was recognised.
    pub state: Option<&'a ScreenState>,
    /// Change of the output that caused the observation.
    pub edge: OutputChange,
    /// Source that reports the agent's status.
    pub status_source: StatusSource,
}

/// Source of an agent's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusSource {
    /// Hooks of the agent CLI, which report everything from the first prompt to the last reply.
    Hooks,
    /// Hooks that have not reported anything since the start.
    HooksSilent,
    /// Only the screen.
    Screen,
}

/// Returns the new status, or `None` if the screen shows nothing new.
pub fn note_after(
    noted: &StatusNote,
    observation: ScreenObservation<'_>,
    now: Timestamp,
) -> Option<StatusNote> {
    let state = match observation.state {
        Some(ScreenState::Failed(failure)) if !describes(failure, noted, observation.status_source) => {
            Some(&ScreenState::Ready)
        }
        state => state,
    };
    let note = match state {
        Some(ScreenState::Setup(line)) => asking(noted, WaitingFor::Setup, line, now)?,
        // The hooks reported the end of the turn, and would have reported a dialog or work.
        Some(ScreenState::Approval(_) | ScreenState::Question(_) | ScreenState::Busy)
            if observation.status_source == StatusSource::Hooks && is_over(noted, now) =>
        {
            return None;
        }
        Some(ScreenState::Busy)
            if observation.status_source == StatusSource::Hooks && noted.status == Status::Starting =>
        {
            return None;
        }
        Some(ScreenState::Busy | ScreenState::Failed(_)) | None
            if may_still_speak(noted, observation.status_source, now) =>
        {
            return None;
        }
        Some(ScreenState::Approval(line)) => asking(noted, WaitingFor::Approval, line, now)?,
        Some(ScreenState::Question(line)) => asking(noted, WaitingFor::Question, line, now)?,
        Some(ScreenState::Busy) => match noted.status {
            Status::Working => return None,
            _ => StatusNote::new(Status::Working, now, "its screen shows that it works"),
        },
        Some(ScreenState::Failed(failure)) => failed(noted, failure, observation, now)?,
        Some(ScreenState::Ready) if noted.failure().is_some() => after_failure(noted, observation, now)?,
        // Only the change to idle waits for silence: an input line is drawn long before a turn is over.
        Some(ScreenState::Ready) => match (observation.edge, noted.status) {
            (OutputChange::Activity, _) | (_, Status::Idle) => return None,
            (_, Status::Working) if observation.status_source == StatusSource::Hooks => {
                interrupted(noted, now)?
            }
            (_, Status::Working) => StatusNote::new(Status::Idle, now, BACK_AT_PROMPT),
            _ => StatusNote::new(Status::Idle, now, READY),
        },
        None => unreadable(noted, observation, now)?,
    };
    (!note.same_as(noted)).then_some(note)
}

/// Returns whether the hooks reported the end of the turn. The screen of an agent CLI may show the turn for a moment
/// longer, and the next turn is reported by a hook. The exception is Claude Code 2.1 at a usage limit, which continues
/// the turn by itself after the reset.
fn is_over(noted: &StatusNote, now: Timestamp) -> bool {
    let failed = noted.failure().filter(|failure| failure.source == FailureSource::Hook);
    let may_continue = |failure: &FailedTurn| failure.resets_at.is_some_and(|reset| reset <= now);
    noted.status == Status::Idle || failed.is_some_and(|failure| !may_continue(failure))
}

/// Returns whether a failure on the screen is new information. For a CLI with hooks, the screen adds a missing login
/// before the first turn, and a failed turn whose end no hook reports: GitHub Copilot CLI 1.0.102 has no such hook.
fn describes(failure: &TurnFailure, noted: &StatusNote, status_source: StatusSource) -> bool {
    let is_at_rest = matches!(noted.status, Status::Idle | Status::Starting | Status::Unknown);
    let is_about_to_work = noted.status == Status::Starting && noted.reason == STARTED_WITH_TASK;
    let is_logged_out = failure.cause == FailureCause::Login && is_at_rest && !is_about_to_work;
    status_source != StatusSource::Hooks || is_logged_out || noted.status == Status::Working
}

/// Returns the status for a failure on the screen. Like the change to idle it waits for silence, and a failure that was
/// already there is ignored.
fn failed(
    noted: &StatusNote,
    failure: &TurnFailure,
    observation: ScreenObservation<'_>,
    now: Timestamp,
) -> Option<StatusNote> {
    let is_old = observation.status_source != StatusSource::Hooks && noted.status == Status::Idle;
    // A hook that reports the end of the turn may still follow, and contains more details.
    let is_early = observation.status_source == StatusSource::Hooks && is_fresh(noted, now);
    (observation.edge != OutputChange::Activity && noted.failure().is_none() && !is_old && !is_early)
        .then(|| turn_failure::note_after(noted, failure, FailureSource::Screen, now))
}

/// Returns the status for a prompt on the screen of an agent whose last turn failed. The failure stays until the next
/// turn, unless it was a missing login that only the screen showed.
fn after_failure(
    noted: &StatusNote,
    observation: ScreenObservation<'_>,
    now: Timestamp,
) -> Option<StatusNote> {
    let was_shown = noted.failure().is_some_and(|failure| failure.source == FailureSource::Screen);
    (observation.edge != OutputChange::Activity
        && was_shown
        && observation.status_source == StatusSource::Hooks)
        .then(|| StatusNote::new(Status::Idle, now, "it is ready for a prompt"))
}

/// Returns the status for a turn whose end no hook reported. A turn that has just begun may not have been drawn yet.
fn interrupted(noted: &StatusNote, now: Timestamp) -> Option<StatusNote> {
    (!is_fresh(noted, now)).then(|| StatusNote::new(Status::Idle, now, INTERRUPTED))
}

/// Returns whether a turn began so recently that a screen without a sign of it is not conclusive.
pub fn is_fresh(noted: &StatusNote, now: Timestamp) -> bool {
    noted.status == Status::Working
        && noted.since <= now
        && now.duration_since(noted.since) < FIRST_DRAW_TIMEOUT
}

/// Returns whether a hook reported a dialog so recently that a screen that shows work may be older than the dialog.
/// Claude Code 2.1 reports the dialog first and draws it later.
pub fn may_precede_dialog(noted: &StatusNote, observation: ScreenObservation<'_>, now: Timestamp) -> bool {
    let is_dialog = matches!(noted.waiting_for, Some(WaitingFor::Approval | WaitingFor::Question));
    observation.status_source == StatusSource::Hooks
        && observation.state == Some(&ScreenState::Busy)
        && is_dialog
        && noted.since <= now
        && now.duration_since(noted.since) < DIALOG_DRAW_TIMEOUT
}

/// Returns whether the agent was started so recently that its hooks may still send their first report.
pub fn may_still_speak(noted: &StatusNote, status_source: StatusSource, now: Timestamp) -> bool {
    let is_young = noted.since <= now && now.duration_since(noted.since) < FIRST_HOOK_TIMEOUT;
    status_source == StatusSource::HooksSilent && noted.status == Status::Starting && is_young
}

/// Returns the status for a dialog. A hook that reported the dialog contained more than the screen shows; if the dialog
/// is known only from the screen, a different line is a different question.
fn asking(noted: &StatusNote, what: WaitingFor, line: &str, now: Timestamp) -> Option<StatusNote> {
    let question = Question::from_line(line);
    let seen = noted.question().filter(|known| known.extent == Extent::Brief);
    let is_another = seen.is_some_and(|known| known.sha256 != question.sha256);
    (noted.waiting_for != Some(what) || is_another)
        .then(|| StatusNote::waiting(what, now, one_line(line)).asking(question))
}

fn unreadable(noted: &StatusNote, observation: ScreenObservation<'_>, now: Timestamp) -> Option<StatusNote> {
    match (observation.status_source, observation.edge) {
        (StatusSource::Hooks, _) => None,
        // Text that is typed at the prompt below the error is not a turn.
        _ if noted.failure().is_some() => None,
        // After a first-run dialog the program starts or exits: no turn begins before the hooks or the screen show one.
        (StatusSource::HooksSilent, OutputChange::Activity)
            if noted.waiting_for == Some(WaitingFor::Setup) =>
        {
            Some(StatusNote::new(Status::Starting, now, "its first-run question is no longer on the screen"))
        }
        (_, OutputChange::Activity) => match noted.status {
            Status::Working => None,
            _ => Some(StatusNote::new(Status::Working, now, "it prints")),
        },
        (_, OutputChange::Silence) => {
            Some(StatusNote::new(Status::Unknown, now, "it is quiet, and its screen shows no known state"))
        }
        (_, OutputChange::Bell) => Some(StatusNote::new(
            Status::Unknown,
            now,
            "it rang the bell, and its screen shows no known state",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::status::decide::tests::at;

    #[test]
    fn a_screen_moves_the_status() {
        use OutputChange::{Activity, Bell, Silence};
        use Status::*;
        use StatusSource::{Hooks, HooksSilent, Screen};
        let ready = Some(ScreenState::Ready);
        let busy = Some(ScreenState::Busy);
        let asks = Some(ScreenState::Approval("Do you want to proceed?".into()));
        let gate = Some(ScreenState::Setup("Do you trust this folder?".into()));
        for (from, seen, edge, status_source, to) in [
            (Starting, &gate, Silence, Hooks, Some(Waiting)),
            (Starting, &gate, Silence, Screen, Some(Waiting)),
            (Starting, &None, Silence, Hooks, None),
            (Starting, &None, Silence, Screen, Some(Unknown)),
            (Starting, &ready, Silence, Screen, Some(Idle)),
            (Starting, &ready, Activity, Screen, None),
            (Idle, &busy, Activity, Screen, Some(Working)),
            (Idle, &None, Activity, Screen, Some(Working)),
            (Idle, &None, Activity, Hooks, None),
            (Idle, &ready, Activity, Screen, None),
            (Idle, &asks, Activity, Screen, Some(Waiting)),
            (Idle, &asks, Silence, Hooks, None),
            (Idle, &busy, Silence, Hooks, None),
            (Starting, &busy, Activity, Hooks, None),
            (Idle, &gate, Silence, Hooks, Some(Waiting)),
            (Working, &ready, Silence, Screen, Some(Idle)),
            (Working, &ready, Silence, Hooks, Some(Idle)),
            (Working, &ready, Activity, Hooks, None),
            (Working, &busy, Silence, Screen, None),
            (Working, &None, Silence, Hooks, None),
            (Working, &None, Silence, Screen, Some(Unknown)),
            (Working, &asks, Silence, Screen, Some(Waiting)),
            (Waiting, &busy, Activity, Hooks, Some(Working)),
            (Waiting, &ready, Silence, Hooks, Some(Idle)),
            (Unknown, &ready, Bell, Screen, Some(Idle)),
            (Idle, &None, Bell, Screen, Some(Unknown)),
            (Idle, &asks, Silence, HooksSilent, Some(Waiting)),
            (Idle, &busy, Activity, HooksSilent, Some(Working)),
            (Working, &ready, Silence, HooksSilent, Some(Idle)),
            (Waiting, &ready, Silence, HooksSilent, Some(Idle)),
            (Starting, &ready, Silence, HooksSilent, Some(Idle)),
            (Starting, &gate, Silence, HooksSilent, Some(Waiting)),
            (Starting, &busy, Activity, HooksSilent, Some(Working)),
            (Starting, &None, Silence, HooksSilent, Some(Unknown)),
        ] {
            let before = StatusNote::new(from, at(1), "before");
            let observation = ScreenObservation { state: seen.as_ref(), edge, status_source };
            let after = note_after(&before, observation, at(20)).map(|note| note.status);
            assert_eq!(after, to, "{from} {seen:?} {edge:?} {status_source:?}");
        }
    }

    #[test]
    fn a_screen_that_shows_work_may_be_older_than_a_dialog_that_a_hook_reported() {
        let asked = StatusNote::waiting(WaitingFor::Approval, at(10), "Bash(make)");
        let sees = |state: &ScreenState, status_source, second| {
            let observation =
                ScreenObservation { state: Some(state), edge: OutputChange::Activity, status_source };
            may_precede_dialog(&asked, observation, at(second))
        };
        let dialog = ScreenState::Approval("Do you want to proceed?".into());
        assert!(sees(&ScreenState::Busy, StatusSource::Hooks, 11));
        assert!(!sees(&ScreenState::Busy, StatusSource::Hooks, 12), "the dialog was answered");
        assert!(!sees(&ScreenState::Busy, StatusSource::Hooks, 9), "the clock was set back");
        assert!(!sees(&ScreenState::Busy, StatusSource::Screen, 11));
        assert!(!sees(&dialog, StatusSource::Hooks, 11));
    }

    #[test]
    fn a_failure_on_the_screen_counts_where_no_hook_reports_it() {
        use FailureCause::{Error, Login};
        use OutputChange::{Activity, Silence};
        use Status::*;
        use StatusSource::{Hooks, HooksSilent, Screen};
        for (from, cause, edge, status_source, to) in [
            (Working, Error, Silence, Screen, Some(Idle)),
            (Working, Error, Silence, HooksSilent, Some(Idle)),
            (Working, Login, Silence, Screen, Some(Waiting)),
            (Working, Error, Activity, Screen, None),
            // The failure has been on the screen since an earlier turn.
            (Idle, Error, Silence, Screen, None),
            // A dialog about a limit was answered by giving up.
            (Waiting, Error, Silence, Screen, Some(Idle)),
            (Idle, Login, Silence, Hooks, Some(Waiting)),
            (Starting, Login, Silence, Hooks, Some(Waiting)),
            (Idle, Error, Silence, Hooks, None),
            (Idle, Login, Activity, Hooks, None),
            // No hook reported the end of the turn.
            (Working, Error, Silence, Hooks, Some(Idle)),
            (Working, Login, Silence, Hooks, Some(Waiting)),
            (Working, Error, Activity, Hooks, None),
        ] {
            let before = StatusNote::new(from, at(1), "before");
            let state = ScreenState::Failed(TurnFailure { cause, message: "x".into(), resets_at: None });
            let after =
                note_after(&before, ScreenObservation { state: Some(&state), edge, status_source }, at(20));
            let status = after.as_ref().map(|note| note.status);
            assert_eq!(status, to, "{from} {cause} {edge:?} {status_source:?}");
            assert!(after.is_none_or(|note| note.failure().is_some()));
        }
    }

    #[test]
    fn a_failure_stays_while_its_agent_is_at_its_prompt() {
        let failure = TurnFailure { cause: FailureCause::Login, message: "x".into(), resets_at: None };
        let working = StatusNote::new(Status::Working, at(1), "before");
        let by = |source| turn_failure::note_after(&working, &failure, source, at(2));
        let sees = |noted: &StatusNote, state: Option<&ScreenState>, edge, status_source| {
            note_after(noted, ScreenObservation { state, edge, status_source }, at(20))
                .map(|note| note.status)
        };
        let (hook, screen) = (by(FailureSource::Hook), by(FailureSource::Screen));
        let (ready, busy) = (Some(&ScreenState::Ready), Some(&ScreenState::Busy));
        assert_eq!(sees(&hook, ready, OutputChange::Silence, StatusSource::Hooks), None);
        assert_eq!(sees(&screen, ready, OutputChange::Silence, StatusSource::Hooks), Some(Status::Idle));
        assert_eq!(sees(&screen, ready, OutputChange::Silence, StatusSource::Screen), None);
        assert_eq!(sees(&screen, None, OutputChange::Activity, StatusSource::Screen), None);
        assert_eq!(sees(&screen, None, OutputChange::Silence, StatusSource::Screen), None);
        assert_eq!(sees(&screen, busy, OutputChange::Activity, StatusSource::Screen), Some(Status::Working));
    }

    #[test]
    fn a_turn_that_a_hook_reported_as_failed_does_not_return_to_working_while_the_screen_shows_it() {
        use FailureCause::{Credit, Error, Limit, Login};
        let working = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        let shown = [ScreenState::Busy, ScreenState::Approval("Run it?".into())];
        for cause in [Login, Credit, Limit, Error] {
            let failure = TurnFailure { cause, message: "x".into(), resets_at: None };
            let failed = turn_failure::note_after(&working, &failure, FailureSource::Hook, at(2));
            for (state, edge) in shown.iter().flat_map(|state| {
                [OutputChange::Activity, OutputChange::Silence, OutputChange::Bell]
                    .into_iter()
                    .map(move |edge| (state, edge))
            }) {
                for second in [2, 3, 60] {
                    let observation =
                        ScreenObservation { state: Some(state), edge, status_source: StatusSource::Hooks };
                    assert_eq!(
                        note_after(&failed, observation, at(second)),
                        None,
                        "{cause} {state:?} {edge:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_turn_that_continues_by_itself_after_the_reset_of_a_limit_is_work() {
        let working = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        let failure =
            TurnFailure { cause: FailureCause::Limit, message: "x".into(), resets_at: Some(at(100)) };
        let failed = turn_failure::note_after(&working, &failure, FailureSource::Hook, at(2));
        let observation = ScreenObservation {
            state: Some(&ScreenState::Busy),
            edge: OutputChange::Activity,
            status_source: StatusSource::Hooks,
        };
        assert_eq!(note_after(&failed, observation, at(99)), None);
        assert_eq!(note_after(&failed, observation, at(100)).map(|note| note.status), Some(Status::Working));
    }

    #[test]
    fn a_turn_that_is_not_drawn_yet_was_not_interrupted() {
        let took = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        let observation = ScreenObservation {
            state: Some(&ScreenState::Ready),
            edge: OutputChange::Silence,
            status_source: StatusSource::Hooks,
        };
        assert_eq!(note_after(&took, observation, at(3)), None);
        let failure = TurnFailure { cause: FailureCause::Error, message: "x".into(), resets_at: None };
        let failed = ScreenState::Failed(failure);
        let shows_error = ScreenObservation { state: Some(&failed), ..observation };
        assert_eq!(note_after(&took, shows_error, at(3)), None, "its hook may be about to report it");
        assert!(note_after(&took, shows_error, at(7)).is_some_and(|note| note.failure().is_some()));
        assert_eq!(note_after(&took, observation, at(7)).map(|note| note.reason), Some(INTERRUPTED.into()));
        // After the clock was set back, the start time is not reliable.
        assert!(note_after(&took, observation, at(0)).is_some());
    }

    #[test]
    fn status_waits_for_hooks_that_may_still_report() {
        let started = StatusNote::new(Status::Starting, at(1), "before");
        let after = |state: Option<ScreenState>, second| {
            let observation = ScreenObservation {
                state: state.as_ref(),
                edge: OutputChange::Silence,
                status_source: StatusSource::HooksSilent,
            };
            note_after(&started, observation, at(second)).map(|note| note.status)
        };
        assert_eq!((after(None, 3), after(Some(ScreenState::Busy), 3)), (None, None));
        assert_eq!(after(None, 7), Some(Status::Unknown));
        assert_eq!(after(Some(ScreenState::Busy), 7), Some(Status::Working));
        // A dialog counts at once, and after the clock was set back the start time is not reliable.
        assert_eq!(after(Some(ScreenState::Approval("Run it?".into())), 3), Some(Status::Waiting));
        assert_eq!(after(None, 0), Some(Status::Unknown));
    }

    #[test]
    fn output_before_the_first_report_does_not_count_as_work() {
        let gate = StatusNote::waiting(WaitingFor::Setup, at(1), "Do you trust this folder?");
        let after = |noted: &StatusNote, state: Option<ScreenState>, second| {
            let observation = ScreenObservation {
                state: state.as_ref(),
                edge: OutputChange::Activity,
                status_source: StatusSource::HooksSilent,
            };
            note_after(noted, observation, at(second))
        };
        let starts = after(&gate, None, 20).unwrap();
        assert_eq!(starts.status, Status::Starting);
        assert_eq!(after(&starts, None, 21), None);
        assert_eq!(
            after(&starts, Some(ScreenState::Busy), 26).map(|note| note.status),
            Some(Status::Working)
        );
        assert_eq!(after(&gate, Some(ScreenState::Busy), 20).map(|note| note.status), Some(Status::Working));
    }

    #[test]
    fn next_dialog_of_an_agent_without_hooks_is_a_new_question() {
        let seen = |line: &str, noted: &StatusNote| {
            let state = ScreenState::Approval(line.to_owned());
            let observation = ScreenObservation {
                state: Some(&state),
                edge: OutputChange::Activity,
                status_source: StatusSource::Screen,
            };
            note_after(noted, observation, at(9))
        };
        let first = seen("Run it? $ ls", &StatusNote::new(Status::Working, at(1), "before")).unwrap();
        assert_eq!(seen("Run it? $ ls", &first), None);
        assert_eq!(seen("Run it? $ rm x", &first).map(|note| note.reason), Some("Run it? $ rm x".into()));
    }

    #[test]
    fn question_reported_by_a_hook_keeps_its_text() {
        let reported = StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: rm -rf build")
            .asking(Question::new("Bash: rm -rf build"));
        let state = ScreenState::Approval("Do you want to proceed?".into());
        let observation = ScreenObservation {
            state: Some(&state),
            edge: OutputChange::Silence,
            status_source: StatusSource::Hooks,
        };
        assert_eq!(note_after(&reported, observation, at(2)), None);
    }
}
