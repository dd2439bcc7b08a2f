//! Errors in the configuration file, with their positions, in the order of the text and one for each position.

use std::path::Path;

use crate::base::source_text::{LineIndex, LocatedMistake};

/// Collects errors while a text is read.
#[derive(Default)]
pub(super) struct Mistakes(Vec<LocatedMistake<usize>>);

impl Mistakes {
    pub(super) fn add(&mut self, at: usize, message: impl Into<String>) {
        self.0.push(LocatedMistake::new(at, message));
    }

    pub(super) fn extend(&mut self, mistakes: impl IntoIterator<Item = LocatedMistake<usize>>) {
        self.0.extend(mistakes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the answer if no error was found, otherwise all errors with their positions in this text.
    pub(super) fn into_result<T>(mut self, answer: T, text: &str) -> Result<T, Vec<LocatedMistake>> {
        if self.0.is_empty() {
            return Ok(answer);
        }
        self.0.sort();
        // After a syntax error, the parser may report one position more than once.
        self.0.dedup_by_key(|mistake| mistake.at);
        let lines = LineIndex::of(text);
        Err(self.0.into_iter().map(|mistake| lines.locate(mistake)).collect())
    }
}

/// Formats one line for each error, in the format of compilers.
pub(super) fn list(path: &Path, mistakes: &[LocatedMistake]) -> String {
    let lines = mistakes.iter().map(|mistake| format!("{}:{mistake}", path.display()));
    lines.collect::<Vec<_>>().join("\n")
}
