//! The question of a waiting agent: its text up to a limit, and an id that identifies it.
//!
//! An answer names the id of the question that the user has read. The checksum covers the complete text, also the part
//! that is not stored, so that two questions with the same beginning have different ids.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::{Status, StatusNote, WaitingFor};

/// Maximum stored length of a question in bytes: more than a user reads before approving, and small enough for the
/// registry.
pub const MAX_QUESTION_BYTES: usize = 4096;

/// How much of a question's text is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// The complete text is known.
    Whole,
    /// Only the beginning is stored, because the text is longer than the limit.
    Cut,
    /// Only one line from the screen or a general description is known; the dialog itself shows more.
    Brief,
}

/// A question as the registry stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Text of the question, line by line and unchanged. Escape control characters before showing it.
    pub text: String,
    /// How much of the question the text covers.
    pub extent: Extent,
    /// Checksum of the complete text.
    pub sha256: String,
    /// Time since which the question is asked. An older version of Symposium that writes a new status leaves this field
    /// unchanged, which shows that the question is outdated.
    #[serde(default, with = "crate::base::json_time::option")]
    pub since: Option<Timestamp>,
}

impl Question {
    /// Creates a question whose text is known.
    pub fn new(text: &str) -> Question {
        let fits =
            text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_QUESTION_BYTES);
        let kept = &text[..fits.last().unwrap_or(0)];
        let extent = if kept.len() == text.len() { Extent::Whole } else { Extent::Cut };
        Question { text: kept.to_owned(), extent, sha256: sum(&[text]), since: None }
    }

    /// Creates a question of which only one line is known.
    pub fn from_line(line: &str) -> Question {
        Question { extent: Extent::Brief, ..Question::new(line) }
    }
}

/// A question that is currently asked, as all faces show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// Id of the question; the same text asked again has a different id.
    pub id: String,
    /// Text of the question.
    pub text: String,
    /// How much of the question the text covers.
    pub extent: Extent,
    /// Options of the dialog, if the screen was read for them by `agent show` or `agent list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A question that a hook reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedQuestion {
    /// Summary on one line, for lists.
    pub line: String,
    /// Complete text of the question.
    pub whole: String,
}

impl From<String> for ReportedQuestion {
    fn from(text: String) -> ReportedQuestion {
        ReportedQuestion { line: text.clone(), whole: text }
    }
}

impl StatusNote {
    /// Returns this note with a question.
    pub fn asking(self, question: Question) -> StatusNote {
        StatusNote { question: Some(Question { since: Some(self.since), ..question }), ..self }
    }

    /// Returns the question that belongs to this note.
    pub fn question(&self) -> Option<&Question> {
        self.question
            .as_ref()
            .filter(|known| self.status == Status::Waiting && known.since == Some(self.since))
    }

    /// Returns the question that is asked now, or `None` if the agent asks nothing. For a note of an older version only
    /// the reason line is known.
    pub fn current_question(&self) -> Option<AskedQuestion> {
        let Question { text, extent, sha256, .. } =
            self.question().cloned().unwrap_or_else(|| Question::from_line(&self.reason));
        let id = || sum(&[&self.since.to_string(), &sha256])[..32].to_owned();
        // A limit does not ask anything: it resets by itself.
        let asks = self.status == Status::Waiting && self.waiting_for != Some(WaitingFor::Limit);
        asks.then(|| AskedQuestion { id: id(), text, extent, options: vec![] })
    }
}

/// Returns the checksum of several texts. Each text is hashed with its length, so that the boundaries matter.
fn sum(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WaitingFor;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn id(question: Option<Question>, second: i64) -> String {
        let note = StatusNote::waiting(WaitingFor::Approval, at(second), "Bash: x");
        question
            .map_or(note.clone(), |question| note.asking(question))
            .current_question()
            .expect("it waits")
            .id
    }

    #[test]
    fn questions_with_the_same_beginning_have_different_ids() {
        let long = |end| Some(Question::new(&format!("{}{end}", "x".repeat(MAX_QUESTION_BYTES))));
        assert_eq!(long("a").map(|question| question.text), long("b").map(|question| question.text));
        assert_ne!(id(long("a"), 1), id(long("b"), 1));
        assert_eq!(id(long("a"), 1), id(long("a"), 1));
        assert_ne!(id(long("a"), 1), id(long("a"), 2), "asked again it is another");
    }

    #[test]
    fn a_long_question_is_cut_and_its_extent_is_recorded() {
        let fits = Question::new(&"ü".repeat(MAX_QUESTION_BYTES / 2));
        assert_eq!((fits.extent, fits.text.len()), (Extent::Whole, MAX_QUESTION_BYTES));
        let cut = Question::new(&format!("a{}", "ü".repeat(MAX_QUESTION_BYTES / 2)));
        assert_eq!((cut.extent, cut.text.len()), (Extent::Cut, MAX_QUESTION_BYTES - 1));
        assert_eq!(Question::from_line("Proceed?").extent, Extent::Brief);
    }

    #[test]
    fn a_note_of_an_older_version_has_a_question_from_its_reason() {
        let note = StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: x");
        let current_question = note.current_question().expect("it waits");
        assert_eq!((current_question.text.as_str(), current_question.extent), ("Bash: x", Extent::Brief));
        assert_eq!(StatusNote::new(Status::Idle, at(1), "x").current_question(), None);
    }

    #[test]
    fn question_stored_by_an_older_version_is_not_current() {
        let asks =
            StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: ls").asking(Question::new("Bash: ls"));
        let later = StatusNote { since: at(2), reason: "Bash: rm".into(), ..asks };
        let current_question = later.current_question().expect("it waits");
        assert_eq!((current_question.text.as_str(), current_question.extent), ("Bash: rm", Extent::Brief));
    }
}
