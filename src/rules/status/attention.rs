//! Decides which agents need an answer from the user.

use crate::model::{AgentName, AgentRecord, FailedTurn, Status, WaitingFor};

/// Returns the agents that wait for the user and can be attached, those that have waited longest first.
pub fn needing_answer(records: &[AgentRecord]) -> Vec<AgentName> {
    let mut waiting: Vec<&AgentRecord> =
        records.iter().filter(|record| record.tmux.is_some() && needs_answer(record)).collect();
    waiting.sort_by(|a, b| (a.status.since, &a.name).cmp(&(b.status.since, &b.name)));
    waiting.into_iter().map(|record| record.name.clone()).collect()
}

/// Returns whether an agent waits for the user.
pub fn needs_answer(record: &AgentRecord) -> bool {
    let note = &record.status;
    is_answer_awaited(note.status, note.waiting_for, note.failure())
}

/// Returns whether the user has to do something about an agent with this status: answer it, start it again, or look at
/// its last turn, which failed.
pub fn needs_user(status: Status, waiting_for: Option<WaitingFor>, failure: Option<&FailedTurn>) -> bool {
    match status {
        Status::Waiting => is_answer_awaited(status, waiting_for, failure),
        Status::Idle => failure.is_some(),
        Status::Crashed | Status::Lost => true,
        _ => false,
    }
}

/// Returns whether an agent shows a dialog that can be answered. A failed turn shows none.
pub fn may_show_dialog(status: Status, failure: Option<&FailedTurn>) -> bool {
    status == Status::Waiting && failure.is_none()
}

/// Returns whether an agent continues only after the user acts. At a limit it continues by itself, unless its queue is
/// held without an end.
fn is_answer_awaited(status: Status, waiting_for: Option<WaitingFor>, failure: Option<&FailedTurn>) -> bool {
    let ends_by_itself = failure.is_none_or(|failure| failure.paused || failure.held_until.is_some());
    status == Status::Waiting && !(waiting_for == Some(WaitingFor::Limit) && ends_by_itself)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FailureCause, FailureSource, StatusNote, TmuxLocation, TurnFailure};
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::turn_failure::note_after;

    #[test]
    fn agents_that_have_waited_longest_come_first_and_only_attachable_ones_count() {
        let waiting = |name: &str, since: i64| {
            let mut record = record(name, Status::Waiting);
            record.status.since = at(since);
            record.tmux = Some(TmuxLocation {
                socket: "/s".into(),
                server: "1:2".into(),
                session: name.into(),
                pane: "%1".into(),
            });
            record
        };
        let mut in_terminal = waiting("foreground", 1);
        in_terminal.tmux = None;
        let mut limited = waiting("limited", 2);
        limited.status.waiting_for = Some(WaitingFor::Limit);
        let records = [
            waiting("b", 9),
            waiting("a", 9),
            in_terminal,
            limited,
            record("idle", Status::Idle),
            waiting("c", 3),
        ];
        let names: Vec<String> = needing_answer(&records).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["c", "a", "b"]);
    }

    #[test]
    fn failed_turns_need_the_user_unless_the_agent_continues_by_itself() {
        let failed = |cause, earlier: u32| {
            let failure = TurnFailure { cause, message: "x".into(), resets_at: None };
            let begin = StatusNote::new(Status::Working, at(1), "x");
            (0..=earlier).fold(begin, |note, turn| {
                note_after(&note, &failure, FailureSource::Hook, at(i64::from(turn) + 2))
            })
        };
        for (note, user, answer, dialog) in [
            (failed(FailureCause::Login, 0), true, true, false),
            (failed(FailureCause::Limit, 0), false, false, false),
            (failed(FailureCause::Limit, 2), true, true, false),
            (failed(FailureCause::Error, 0), true, false, false),
            (StatusNote::new(Status::Idle, at(1), "x"), false, false, false),
            (StatusNote::new(Status::Crashed, at(1), "x"), true, false, false),
            (StatusNote::waiting(WaitingFor::Setup, at(1), "x"), true, true, true),
        ] {
            let about = format!("{note:?}");
            assert_eq!(needs_user(note.status, note.waiting_for, note.failure()), user, "{about}");
            assert_eq!(may_show_dialog(note.status, note.failure()), dialog, "{about}");
            let record = AgentRecord { status: note, ..record("a", Status::Idle) };
            assert_eq!(needs_answer(&record), answer, "{about}");
        }
    }
}
