//! What an agent that waits asks for: as much of the text as anybody would read, and which question it is.
//!
//! Whoever answers says which question they have read. Two that begin alike are two: the sum is of all of the text,
//! also of what is not kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::{Status, StatusNote, WaitingFor};

/// How much of a question is kept, in bytes: more than anybody reads before saying yes, and little in a registry.
pub const MOST_QUESTION: usize = 4096;

/// How much of a question is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its beginning: it is longer than what is kept.
    Cut,
    /// What stands on the screen in one line, or what we were told in general words; the dialog itself says more.
    Brief,
}

/// A question as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What is asked, line by line and unchanged; never to be shown without making control characters visible.
    pub text: String,
    /// How much of it that is.
    pub extent: Extent,
    /// The checksum of all of it.
    pub sha256: String,
    /// Since when it is asked. An older symposium that writes another status leaves this as it was, and is found out so.
    #[serde(default, with = "crate::base::json_time::option")]
    pub since: Option<Timestamp>,
}

impl Question {
    /// A question whose text is known.
    pub fn told(text: &str) -> Question {
        let fits =
            text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MOST_QUESTION);
        let kept = &text[..fits.last().unwrap_or(0)];
        let extent = if kept.len() == text.len() { Extent::Whole } else { Extent::Cut };
        Question { text: kept.to_owned(), extent, sha256: sum(&[text]), since: None }
    }

    /// A question of which we know a line.
    pub fn glimpsed(line: &str) -> Question {
        Question { extent: Extent::Brief, ..Question::told(line) }
    }
}

/// A question that is being asked, as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// Which question it is; the same text asked again is another.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// How much of it that is.
    pub extent: Extent,
    /// The options of its dialog, where the screen was read for them: by `agent show` and `agent list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// What a hook told of a question: a line for lists, and all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asks {
    /// On one line.
    pub line: String,
    /// All of it.
    pub whole: String,
}

impl From<String> for Asks {
    fn from(text: String) -> Asks {
        Asks { line: text.clone(), whole: text }
    }
}

impl StatusNote {
    /// The same note, with what is asked.
    pub fn asking(self, question: Question) -> StatusNote {
        StatusNote { question: Some(Question { since: Some(self.since), ..question }), ..self }
    }

    /// The question that belongs to this note.
    pub fn question(&self) -> Option<&Question> {
        self.question
            .as_ref()
            .filter(|known| self.status == Status::Waiting && known.since == Some(self.since))
    }

    /// What is asked, while something is. Older notes know the line alone.
    pub fn asked(&self) -> Option<AskedQuestion> {
        let Question { text, extent, sha256, .. } =
            self.question().cloned().unwrap_or_else(|| Question::glimpsed(&self.reason));
        let id = || sum(&[&self.since.to_string(), &sha256])[..32].to_owned();
        // A limit asks nothing: it passes by itself.
        let asks = self.status == Status::Waiting && self.waiting_for != Some(WaitingFor::Limit);
        asks.then(|| AskedQuestion { id: id(), text, extent, options: vec![] })
    }
}

/// The checksum of some texts, each with its length so that none runs into the next.
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
        question.map_or(note.clone(), |question| note.asking(question)).asked().expect("it waits").id
    }

    #[test]
    fn questions_that_begin_alike_are_two() {
        let long = |end| Some(Question::told(&format!("{}{end}", "x".repeat(MOST_QUESTION))));
        assert_eq!(long("a").map(|one| one.text), long("b").map(|one| one.text));
        assert_ne!(id(long("a"), 1), id(long("b"), 1));
        assert_eq!(id(long("a"), 1), id(long("a"), 1));
        assert_ne!(id(long("a"), 1), id(long("a"), 2), "asked again it is another");
    }

    #[test]
    fn what_is_kept_says_how_much_it_is() {
        let fits = Question::told(&"ü".repeat(MOST_QUESTION / 2));
        assert_eq!((fits.extent, fits.text.len()), (Extent::Whole, MOST_QUESTION));
        let cut = Question::told(&format!("a{}", "ü".repeat(MOST_QUESTION / 2)));
        assert_eq!((cut.extent, cut.text.len()), (Extent::Cut, MOST_QUESTION - 1));
        assert_eq!(Question::glimpsed("Proceed?").extent, Extent::Brief);
    }

    #[test]
    fn a_note_of_an_older_symposium_has_a_question_all_the_same() {
        let note = StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: x");
        let asked = note.asked().expect("it waits");
        assert_eq!((asked.text.as_str(), asked.extent), ("Bash: x", Extent::Brief));
        assert_eq!(StatusNote::new(Status::Idle, at(1), "x").asked(), None);
    }

    #[test]
    fn what_an_older_symposium_left_there_is_not_what_is_asked_now() {
        let asks =
            StatusNote::waiting(WaitingFor::Approval, at(1), "Bash: ls").asking(Question::told("Bash: ls"));
        let later = StatusNote { since: at(2), reason: "Bash: rm".into(), ..asks };
        let asked = later.asked().expect("it waits");
        assert_eq!((asked.text.as_str(), asked.extent), ("Bash: rm", Extent::Brief));
    }
}
