//! Positions in a text, counted like an editor does, and errors at such positions.

use std::fmt;

/// A line and a column, both starting at 1; the column is in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of the line.
    pub line: usize,
    /// Number of the character in its line.
    pub column: usize,
}

impl Position {
    /// The first character of a text.
    pub const START: Position = Position { line: 1, column: 1 };
}

/// An error at a position of a text, or at a byte offset until [`LineIndex::locate`] converts it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocatedMistake<At = Position> {
    /// Position of the error.
    pub at: At,
    /// Description of the error and of the allowed values.
    pub message: String,
}

impl<At> LocatedMistake<At> {
    /// Creates an error at this position.
    pub fn new(at: At, message: impl Into<String>) -> LocatedMistake<At> {
        LocatedMistake { at, message: message.into() }
    }
}

/// Shows an error as compilers do, without the name of the file.
impl fmt::Display for LocatedMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.message)
    }
}

impl From<toml::de::Error> for LocatedMistake<usize> {
    fn from(error: toml::de::Error) -> LocatedMistake<usize> {
        LocatedMistake::new(error.span().map_or(0, |span| span.start), error.message())
    }
}

/// An index of the lines of a text, for converting byte offsets quickly.
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Creates the index of a text.
    pub fn of(text: &'a str) -> LineIndex<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        LineIndex { text, starts }
    }

    /// Returns the position of a byte. An offset after the end of the text maps to the end.
    pub fn position(&self, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..byte.min(self.text.len())).unwrap_or_default();
        Position { line, column: before.chars().count() + 1 }
    }

    /// Converts the byte offset of an error to its position.
    pub fn locate(&self, mistake: LocatedMistake<usize>) -> LocatedMistake {
        LocatedMistake::new(self.position(mistake.at), mistake.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_lines() {
        let lines = LineIndex::of("ab\nü=x\n");
        for (byte, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 2), (6, 2, 3), (99, 3, 1)] {
            assert_eq!(lines.position(byte), Position { line, column }, "{byte}");
        }
        assert_eq!(LineIndex::of("").position(0), Position::START);
    }

    #[test]
    fn a_located_mistake_reads_like_that_of_a_compiler() {
        let error = LineIndex::of("a\nb").locate(LocatedMistake::new(2, "unknown key"));
        assert_eq!(error.to_string(), "2:1: unknown key");
    }
}
