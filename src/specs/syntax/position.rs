//! Positions in a text, counted like an editor does.

/// A line and a column, both starting at 1; the column is in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::specs) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// The first character of a text.
    pub const START: Place = Place { line: 1, column: 1 };
}

/// An error at a position of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::specs) struct Wrong {
    pub at: Place,
    pub message: String,
}

impl Wrong {
    pub fn new(at: Place, message: impl Into<String>) -> Wrong {
        Wrong { at, message: message.into() }
    }
}

/// An index of the lines of a text, for converting byte offsets quickly.
pub(in crate::specs) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// Returns the position of a byte. An offset after the end of the text maps to the end.
    pub fn place(&self, byte: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..byte.min(self.text.len())).unwrap_or_default();
        Place { line, column: before.chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_where_an_editor_shows_it() {
        let lines = Lines::of("ab\nü=x\n");
        for (byte, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 2), (6, 2, 3), (99, 3, 1)] {
            assert_eq!(lines.place(byte), Place { line, column }, "{byte}");
        }
        assert_eq!(Lines::of("").place(0), Place::START);
    }
}
