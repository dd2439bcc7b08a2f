//! Errors in the configuration file, with their positions, in the order of the text and one for each position.

use std::path::Path;

/// An error in the text with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line number, starting at 1.
    pub line: usize,
    /// The character in the line, starting at 1.
    pub column: usize,
    /// A description of the error and of the allowed values.
    pub message: String,
}

/// Collects errors while a text is read.
pub(super) struct Mistakes<'t> {
    text: &'t str,
    found: Vec<(usize, String)>,
}

impl<'t> Mistakes<'t> {
    pub(super) fn new(text: &'t str) -> Mistakes<'t> {
        Mistakes { text, found: Vec::new() }
    }

    pub(super) fn add(&mut self, at: usize, message: &str) {
        self.found.push((at, message.to_owned()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the answer if no error was found, otherwise all errors.
    pub(super) fn none_or<T>(mut self, answer: T) -> Result<T, Vec<Mistake>> {
        if self.found.is_empty() {
            return Ok(answer);
        }
        self.found.sort();
        // After a syntax error, the parser may report one position more than once.
        self.found.dedup_by_key(|(at, _)| *at);
        Err(self.found.iter().map(|(at, message)| self.placed(*at, message)).collect())
    }

    fn placed(&self, at: usize, message: &str) -> Mistake {
        let before = self.text.get(..at).unwrap_or(self.text);
        Mistake {
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message: message.to_owned(),
        }
    }
}

/// Formats one line for each error, in the format of compilers.
pub(super) fn list(path: &Path, mistakes: &[Mistake]) -> String {
    let line = |mistake: &Mistake| {
        let Mistake { line, column, message } = mistake;
        format!("{}:{line}:{column}: {message}", path.display())
    };
    mistakes.iter().map(line).collect::<Vec<_>>().join("\n")
}
