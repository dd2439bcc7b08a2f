//! Turns and dialogs that were cut off because the agent's terminal disappeared.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::{AgentRecord, CutOff, Status, WaitingFor};
use crate::rules::status::decide::PLAIN_COMMAND;

/// Prompt that asks an agent to continue after its turn was cut off.
pub const CONTINUE_PROMPT: &str = "Your session was interrupted and has been restored. Check what was already \
                                   done, then continue where you left off.";

/// Returns the turn or dialog that was cut off, after the status of an agent changed from `former` to that of `record`.
pub fn after_change(former: &AgentRecord, record: &AgentRecord) -> Option<CutOff> {
    let before = &former.status;
    match record.status.status {
        Status::Lost if before.status == Status::Lost => former.cut_off.clone(),
        Status::Lost if is_interruptible(former) => Some(CutOff {
            at: record.status.since,
            status: before.status,
            waiting_for: before.waiting_for,
            reason: before.reason.clone(),
        }),
        // The agent accepted a prompt, or asks again.
        Status::Working | Status::Waiting if record.status.waiting_for != Some(WaitingFor::Setup) => None,
        _ => former.cut_off.clone(),
    }
}

fn is_interruptible(record: &AgentRecord) -> bool {
    record.kind != PLAIN_COMMAND
        && match record.status.status {
            Status::Working => true,
            Status::Waiting => record.status.waiting_for != Some(WaitingFor::Setup),
            _ => false,
        }
}

/// Returns whether an agent of this status is still shown as cut off.
pub fn is_shown(status: Status) -> bool {
    matches!(status, Status::Starting | Status::Idle | Status::Unknown)
}

/// Describes a cut-off turn: `cut off at 14:55 while it waited for approval: Bash: make`.
pub fn sentence(cut: &CutOff, now: Timestamp, zone: &TimeZone) -> String {
    let (at, today) = (cut.at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let time = match at.date() == today.date() {
        true => at.strftime("%H:%M").to_string(),
        false => at.strftime("%b %-d %H:%M").to_string(),
    };
    match cut.waiting_for {
        Some(WaitingFor::Approval) => {
            format!("cut off at {time} while it waited for approval: {}", cut.reason)
        }
        Some(_) => format!("cut off at {time} while it waited for an answer: {}", cut.reason),
        None => format!("cut off at {time} in the middle of a turn"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StatusNote;
    use crate::rules::status::decide::tests::{at, record};

    fn changed(former: &AgentRecord, note: StatusNote) -> Option<CutOff> {
        after_change(former, &AgentRecord { status: note, ..former.clone() })
    }

    fn lost() -> StatusNote {
        StatusNote::new(Status::Lost, at(60), "gone")
    }

    #[test]
    fn only_a_turn_or_a_dialog_is_cut_off() {
        for (status, is_cut) in [(Status::Working, true), (Status::Idle, false), (Status::Starting, false)] {
            assert_eq!(changed(&record("a", status), lost()).is_some(), is_cut, "{status}");
        }
        let mut asks = record("a", Status::Waiting);
        for (waiting_for, is_cut) in
            [(WaitingFor::Approval, true), (WaitingFor::Question, true), (WaitingFor::Setup, false)]
        {
            asks.status = StatusNote::waiting(waiting_for, at(3), "Bash: make");
            assert_eq!(changed(&asks, lost()).is_some(), is_cut, "{waiting_for}");
        }
        let plain = AgentRecord { kind: PLAIN_COMMAND.into(), ..record("a", Status::Working) };
        assert_eq!(changed(&plain, lost()), None);
    }

    #[test]
    fn a_cut_off_turn_is_recorded_until_the_agent_works_again() {
        let working = record("a", Status::Working);
        let mut now = AgentRecord { cut_off: changed(&working, lost()), status: lost(), ..working };
        for status in [Status::Lost, Status::Starting, Status::Idle, Status::Lost, Status::Starting] {
            let note = StatusNote::new(status, at(70), "x");
            now = AgentRecord { cut_off: changed(&now, note.clone()), status: note, ..now.clone() };
            assert!(now.cut_off.is_some(), "{status}");
        }
        assert_eq!(changed(&now, StatusNote::new(Status::Working, at(80), "it accepted a prompt")), None);
    }

    #[test]
    fn the_reason_contains_time_and_activity() {
        let cut = |waiting_for| CutOff {
            at: at(60),
            status: Status::Working,
            waiting_for,
            reason: "Bash: make".into(),
        };
        let zone = TimeZone::UTC;
        assert_eq!(sentence(&cut(None), at(90), &zone), "cut off at 00:01 in the middle of a turn");
        assert_eq!(
            sentence(&cut(Some(WaitingFor::Approval)), at(100_000), &zone),
            "cut off at Jan 1 00:01 while it waited for approval: Bash: make"
        );
    }
}
