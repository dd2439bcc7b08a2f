//! Mistakes in the user's text: where each is, in the order of the text, each place told once.

use std::path::Path;

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// What is wrong, and what is allowed.
    pub message: String,
}

/// Mistakes being collected.
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

    /// The answer, when there is nothing wrong.
    pub(super) fn none_or<T>(mut self, answer: T) -> Result<T, Vec<Mistake>> {
        if self.found.is_empty() {
            return Ok(answer);
        }
        self.found.sort();
        // A parser that lost its way complains about one place more than once.
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

/// One line a mistake, as compilers write them.
pub(super) fn list(path: &Path, mistakes: &[Mistake]) -> String {
    let line = |mistake: &Mistake| {
        let Mistake { line, column, message } = mistake;
        format!("{}:{line}:{column}: {message}", path.display())
    };
    mistakes.iter().map(line).collect::<Vec<_>>().join("\n")
}
