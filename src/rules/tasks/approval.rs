//! Whether an answer is to the question that somebody has read.

use crate::model::{Extent, StatusNote, WaitingFor};

/// Whether the approval that is asked for is the one that was read; without a word about that, any is.
pub fn is_read(note: &StatusNote, read: Option<&str>) -> bool {
    let asks = || note.asked().filter(|_| note.waiting_for == Some(WaitingFor::Approval));
    read.is_none_or(|read| asks().is_some_and(|now| now.id == read))
}

/// Whether the dialog that stands on the screen is the one that was written down, as far as a line can tell: what a hook
/// told of reads otherwise than its dialog.
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
    fn an_answer_is_to_what_was_read() {
        let note = asks(Question::told("Bash: ls"));
        let id = note.asked().map(|asked| asked.id).unwrap();
        let question = StatusNote { waiting_for: Some(WaitingFor::Question), ..note.clone() };
        for (now, read, expected) in [
            (&note, None, true),
            (&note, Some(id.as_str()), true),
            (&note, Some(""), false),
            (&note, Some(&id[..31]), false),
            (&asks(Question::told("Bash: rm")), Some(id.as_str()), false),
            (&question, Some(id.as_str()), false),
            (&StatusNote::new(Status::Idle, at(1), "x"), Some(id.as_str()), false),
            (&StatusNote::new(Status::Idle, at(1), "x"), None, true),
        ] {
            assert_eq!(is_read(now, read), expected, "{now:?} {read:?}");
        }
    }

    #[test]
    fn a_dialog_that_only_the_screen_told_of_must_still_stand_there() {
        assert!(is_drawn(&asks(Question::glimpsed("Run it? $ ls")), "Run it? $ ls"));
        assert!(!is_drawn(&asks(Question::glimpsed("Run it? $ ls")), "Run it? $ rm x"));
        assert!(is_drawn(&asks(Question::told("Bash: ls")), "Do you want to proceed?"));
        assert!(is_drawn(&StatusNote::waiting(WaitingFor::Approval, at(1), "x"), "Do you want to proceed?"));
    }
}
