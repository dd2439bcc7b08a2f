//! The status that follows from a hook of an agent CLI.

use jiff::Timestamp;

use crate::model::{FailureSource, HookSignal, Question, Status, StatusNote, is_deceptive, marked_task};
use crate::rules::status::turn_failure;

/// Reason of a starting agent that was given its first prompt with its start.
pub const STARTED_WITH_TASK: &str = "it was started with a task";
/// Reason of an idle agent whose hooks should have reported the end of its turn, but did not.
pub const INTERRUPTED: &str = "its turn was interrupted";
/// Reason of an idle agent that has started or is back at its prompt.
pub(in crate::rules) const READY: &str = "it is ready for a prompt";
/// Reason of an idle agent whose turn ended without a reply.
const TURN_OVER: &str = "its turn is over";
/// Reason of an idle agent whose screen shows its prompt again.
pub(in crate::rules) const BACK_AT_PROMPT: &str = "it is back at its prompt";
/// Maximum number of characters of an agent's last reply in a reason.
const MAX_REASON_CHARS: usize = 120;

/// Returns the new status, or `None` if the signal reports nothing new.
pub fn note_after(now_noted: &StatusNote, signal: &HookSignal, now: Timestamp) -> Option<StatusNote> {
    let note = match signal {
        // A reminder that the agent is at its prompt does not change the failure.
        HookSignal::Ready if now_noted.failure().is_some() => return None,
        HookSignal::LoggedIn if now_noted.failure().is_none() => return None,
        HookSignal::LoggedIn => StatusNote::new(Status::Idle, now, "it is logged in"),
        HookSignal::TurnFailed(failure) => {
            turn_failure::note_after(now_noted, failure, FailureSource::Hook, now)
        }
        HookSignal::TurnPaused(failure) => turn_failure::note_while_paused(now_noted, failure, now),
        HookSignal::Ready => match now_noted.status {
            Status::Idle => return None,
            // The agent has started, but its first prompt has not arrived yet.
            Status::Starting if now_noted.reason == STARTED_WITH_TASK => return None,
            // The end of a turn is reported by another hook.
            Status::Working => StatusNote::new(Status::Idle, now, INTERRUPTED),
            _ => StatusNote::new(Status::Idle, now, READY),
        },
        HookSignal::Prompted(_) => StatusNote::new(Status::Working, now, "it accepted a prompt"),
        HookSignal::Busy => match now_noted.status {
            Status::Working => return None,
            _ => StatusNote::new(Status::Working, now, "it continues to work"),
        },
        // The hook that asked contained the subject; the reminder that follows it does not.
        HookSignal::StillWaiting(what, _) if now_noted.waiting_for == Some(*what) => return None,
        HookSignal::Waiting(what, asks) => {
            StatusNote::waiting(*what, now, one_line(&asks.line)).asking(Question::new(&asks.whole))
        }
        HookSignal::StillWaiting(what, why) => StatusNote::waiting(*what, now, one_line(why)),
        HookSignal::TurnOver(words) => {
            let reason = words.as_deref().map(one_line).filter(|line| !line.is_empty());
            StatusNote::new(Status::Idle, now, reason.unwrap_or_else(|| TURN_OVER.into()))
        }
        HookSignal::Ending | HookSignal::Other(_) => return None,
    };
    (!note.same_as(now_noted)).then_some(note)
}

/// Returns whether the reason of an idle agent adds nothing to its status.
pub fn is_routine(reason: &str) -> bool {
    [READY, TURN_OVER, BACK_AT_PROMPT].contains(&reason)
}

/// Returns the beginning of a prompt on one line, without the marker of its task, or `None` if nothing is left.
pub fn prompt_line(text: &str) -> Option<String> {
    let unmarked = match marked_task(text) {
        Some(_) => text.rsplit_once("[symposium task ").map_or(text, |(before, _)| before),
        None => text,
    };
    Some(one_line(unmarked)).filter(|line| !line.is_empty())
}

/// Returns the beginning of a text on one line.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !is_deceptive(*c)));
        if line.chars().count() > MAX_REASON_CHARS {
            return line.chars().take(MAX_REASON_CHARS - 1).chain(['…']).collect();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FailureCause, TurnFailure, WaitingFor};
    use crate::rules::status::decide::tests::at;

    #[test]
    fn a_hook_moves_the_status() {
        use HookSignal::*;
        for (from, signal, to) in [
            (Status::Starting, Ready, Some(Status::Idle)),
            (Status::Working, Ready, Some(Status::Idle)),
            (Status::Idle, Ready, None),
            (Status::Idle, Prompted("x".into()), Some(Status::Working)),
            (Status::Working, Busy, None),
            (Status::Waiting, Busy, Some(Status::Working)),
            (
                Status::Working,
                Waiting(WaitingFor::Approval, "Bash: rm".to_owned().into()),
                Some(Status::Waiting),
            ),
            (Status::Working, TurnOver(Some("done".into())), Some(Status::Idle)),
            (Status::Working, TurnOver(None), Some(Status::Idle)),
            (Status::Idle, Ending, None),
            (Status::Idle, Other("x".into()), None),
        ] {
            let before = StatusNote::new(from, at(1), "before");
            let after = note_after(&before, &signal, at(2));
            assert_eq!(after.map(|note| note.status), to, "{from} {signal:?}");
        }
    }

    #[test]
    fn agent_with_a_first_task_is_not_idle_before_it_accepted_it() {
        let before = StatusNote::new(Status::Starting, at(1), STARTED_WITH_TASK);
        assert_eq!(note_after(&before, &HookSignal::Ready, at(2)), None);
        let took = note_after(&before, &HookSignal::Prompted("x".into()), at(2)).unwrap();
        assert_eq!(took.status, Status::Working);
    }

    #[test]
    fn a_reminder_does_not_replace_the_question() {
        let current_question = StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: rm");
        let reminder = |what| HookSignal::StillWaiting(what, "needs your permission".into());
        assert_eq!(note_after(&current_question, &reminder(WaitingFor::Approval), at(2)), None);
        assert!(note_after(&current_question, &reminder(WaitingFor::Question), at(2)).is_some());
        let working = StatusNote::new(Status::Working, at(1), "before");
        assert!(note_after(&working, &reminder(WaitingFor::Approval), at(2)).is_some());
    }

    #[test]
    fn a_failed_turn_stays_until_the_next_turn_or_a_login() {
        let failure = TurnFailure {
            cause: FailureCause::Login,
            message: "Not logged in · Please run /login".into(),
            resets_at: None,
        };
        let working = StatusNote::new(Status::Working, at(1), "it accepted a prompt");
        let failed = note_after(&working, &HookSignal::TurnFailed(failure), at(2)).unwrap();
        assert_eq!((failed.status, failed.waiting_for), (Status::Waiting, Some(WaitingFor::Setup)));
        assert_eq!(note_after(&failed, &HookSignal::Ready, at(3)), None);
        for (signal, status) in [
            (HookSignal::LoggedIn, Status::Idle),
            (HookSignal::Prompted("x".into()), Status::Working),
            (HookSignal::Busy, Status::Working),
            (HookSignal::TurnOver(None), Status::Idle),
        ] {
            let after = note_after(&failed, &signal, at(3)).unwrap();
            assert_eq!((after.status, after.failure()), (status, None), "{signal:?}");
        }
        assert_eq!(note_after(&working, &HookSignal::LoggedIn, at(3)), None);
    }

    #[test]
    fn a_question_with_the_same_beginning_is_a_new_one() {
        let asks = |end: &str| {
            HookSignal::Waiting(WaitingFor::Approval, format!("Bash: rm {}{end}", "x".repeat(200)).into())
        };
        let working = StatusNote::new(Status::Working, at(1), "before");
        let first = note_after(&working, &asks("a"), at(2)).unwrap();
        assert_eq!(note_after(&first, &asks("a"), at(3)), None);
        let second = note_after(&first, &asks("b"), at(3)).unwrap();
        assert_eq!(second.reason, first.reason);
        assert_ne!(
            second.current_question().map(|question| question.id),
            first.current_question().map(|question| question.id)
        );
    }

    #[test]
    fn a_prompt_line_has_no_task_mark() {
        assert_eq!(prompt_line("fix\n the bug\n\n[symposium task 3/2]").as_deref(), Some("fix the bug"));
        assert_eq!(prompt_line("fix [it]").as_deref(), Some("fix [it]"));
        assert_eq!(prompt_line(" \n[symposium task 3]"), None);
    }

    #[test]
    fn last_reply_becomes_one_short_line() {
        assert_eq!(one_line("  a\n\n b\u{7}\tc "), "a b c");
        assert_eq!(one_line(&"wort ".repeat(100)).chars().count(), MAX_REASON_CHARS);
    }
}
