//! The rows of a captured screen, which distinguish written text from dim placeholders.

use std::num::NonZeroU16;
use std::ops::Range;

use vt100::{Color, Parser, Screen};

/// Maximum size of a screen. Wider screens are cut, which bounds the cost of a broken capture.
const MAX_COLUMNS: usize = 1000;
const MAX_ROWS: usize = 500;

/// One row, without the borders of a box around it.
pub(super) struct ScreenRow(Vec<Cell>);

struct Cell {
    text: String,
    dim: bool,
    inverse: bool,
    background: Color,
}

/// Returns the lowest non-empty rows of a screen, from top to bottom.
pub(super) fn bottom(styled: &str, count: usize) -> Vec<ScreenRow> {
    let lines: Vec<&str> = styled.lines().collect();
    let lines = &lines[lines.len().saturating_sub(MAX_ROWS)..];
    let columns = lines.iter().map(|line| line.len()).max().unwrap_or(0).clamp(2, MAX_COLUMNS);
    let size = |count: usize| NonZeroU16::new(count as u16).unwrap_or(NonZeroU16::MIN);
    let mut parser = Parser::new(size(lines.len()), size(columns), 0);
    parser.process(lines.join("\r\n").as_bytes());
    let screen = parser.screen();
    let rows: Vec<ScreenRow> = (0..lines.len() as u16)
        .map(|row| ScreenRow::read(screen, row))
        .filter(|row| !row.0.is_empty())
        .collect();
    let skip = rows.len().saturating_sub(count);
    rows.into_iter().skip(skip).collect()
}

impl ScreenRow {
    fn read(screen: &Screen, row: u16) -> ScreenRow {
        let (_, columns) = screen.size();
        let mut cells: Vec<Cell> = (0..columns.get())
            .filter_map(|column| screen.cell(row, column))
            .filter(|cell| !cell.is_wide_continuation())
            .map(|cell| Cell {
                // Some prompts are followed by a no-break space.
                text: match cell.contents() {
                    "" | "\u{a0}" => " ".to_owned(),
                    text => text.to_owned(),
                },
                dim: cell.dim(),
                inverse: cell.inverse(),
                background: cell.bgcolor(),
            })
            .collect();
        let inside = |cell: &Cell| !matches!(cell.text.as_str(), " " | "│" | "┃" | "║");
        let end = cells.iter().rposition(inside).map_or(0, |at| at + 1);
        cells.truncate(end);
        cells.drain(..cells.iter().position(inside).unwrap_or(cells.len()));
        ScreenRow(cells)
    }

    /// Returns the text of the row.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|cell| cell.text.as_str()).collect()
    }

    /// Returns the written text in a part of the row. A placeholder is dim, and the cursor may be on its first
    /// letter.
    pub(super) fn written(&self, text: &str, part: Range<usize>) -> String {
        debug_assert_eq!(text, self.text());
        let mut at = 0;
        let mut written = String::new();
        for (index, cell) in self.0.iter().enumerate() {
            let hint = cell.dim || (cell.inverse && self.0.get(index + 1).is_some_and(|next| next.dim));
            if part.contains(&at) && !hint {
                written.push_str(&cell.text);
            }
            at += cell.text.len();
        }
        written.trim_end().to_owned()
    }

    /// Returns the background at a position in the row's text.
    pub(super) fn background(&self, position: usize) -> Option<Color> {
        let mut end = 0;
        let mut covers = |cell: &&Cell| {
            end += cell.text.len();
            position < end
        };
        self.0.iter().find(|cell| covers(cell)).map(|cell| cell.background)
    }

    /// Checks whether the row is the border of a box or a line across the screen.
    pub(super) fn is_rule(&self) -> bool {
        self.0.iter().take(2).all(|cell| "─━═╰╭└┌▀▄▁▔".contains(cell.text.as_str())) && self.0.len() > 2
    }
}
