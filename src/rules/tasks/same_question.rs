//! Checks whether an answer belongs to the question that the user has read.

use crate::model::{Extent, StatusNote, WaitingFor};

/// Returns whether the current approval is the one that was read; if no id is given, any approval is accepted.
pub fn is_read(note: &StatusNote, read: Option<&str>) -> bool {
    let asks = || note.current_question().filter(|_| note.waiting_for == Some(WaitingFor::Approval));
    read.is_none_or(|read| asks().is_some_and(|now| now.id == read))
}

/// Returns whether the dialog on the screen is the recorded one, as far as one line can show. A question that a hook
/// reported is accepted, because its text differs from the dialog.
pub fn is_drawn(note: &StatusNote, line: &str) -> bool {
    let seen = note.question().filter(|known| known.extent == Extent::Brief);
    seen.is_none_or(|known| known.text == line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Question, Status};
    use crate::rules::status::decide::tests::at;

    fn asks(question: Question) -> StatusNote {
        StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: ls").asking(question)
    }

    #[test]
    fn an_answer_applies_only_to_the_question_that_was_read() {
        let note = asks(Question::new("Bash: ls"));
        let id = note.current_question().map(|question| question.id).unwrap();
        let question = StatusNote { waiting_for: Some(WaitingFor::Question), ..note.clone() };
        for (now, read, expected) in [
            (&note, None, true),
            (&note, Some(id.as_str()), true),
            (&note, Some(""), false),
            (&note, Some(&id[..31]), false),
            (&asks(Question::new("Bash: rm")), Some(id.as_str()), false),
            (&question, Some(id.as_str()), false),
            (&StatusNote::new(Status::Idle, at(1), "x"), Some(id.as_str()), false),
            (&StatusNote::new(Status::Idle, at(1), "x"), None, true),
        ] {
            assert_eq!(is_read(now, read), expected, "{now:?} {read:?}");
        }
    }

    #[test]
    fn dialog_found_on_the_screen_must_still_be_shown() {
        assert!(is_drawn(&asks(Question::from_line("Run it? $ ls")), "Run it? $ ls"));
        assert!(!is_drawn(&asks(Question::from_line("Run it? $ ls")), "Run it? $ rm x"));
        assert!(is_drawn(&asks(Question::new("Bash: ls")), "Do you want to proceed?"));
        assert!(is_drawn(&StatusNote::waiting(WaitingFor::Approval, at(1), "x"), "Do you want to proceed?"));
    }
}
