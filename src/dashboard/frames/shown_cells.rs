//! The cells that the terminal shows, and the rows of a live screen that replace some of them.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::view::text::{cells_of, line_of};

/// The cells that the terminal shows.
#[derive(Default)]
pub(crate) struct ShownCells {
    buffer: Buffer,
    /// Number of cells in each line of the live screen behind which all are blank. Nothing is known about further lines.
    used: Vec<usize>,
}

impl ShownCells {
    /// Returns all cells.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Takes over a complete frame.
    pub(crate) fn replace_all(&mut self, drawn: &Buffer) {
        self.buffer.area = drawn.area;
        self.buffer.content.clone_from(&drawn.content);
        self.used.clear();
    }

    /// Replaces the cells in a line of the live screen by a row, followed by blank cells, and notes those that have to be
    /// written. An empty symbol is the second half of a wide character. The area of the live screen stays the same until
    /// the next complete frame.
    pub(crate) fn replace_row(
        &mut self,
        (area, line): (Rect, u16),
        row: &[Cell],
        changed: &mut Vec<Position>,
    ) {
        let place = line_of(area, line);
        if self.used.len() <= usize::from(line) {
            self.used.resize(usize::from(line) + 1, usize::MAX);
        }
        let used = std::mem::replace(&mut self.used[usize::from(line)], row.len());
        // The terminal clears the second half of a wide character that is overwritten.
        let mut has_lost_half = false;
        let cells = row.iter().chain(std::iter::repeat(&Cell::EMPTY)).take(used.max(row.len()));
        for (x, (before, cell)) in (place.x..).zip(cells_of(&mut self.buffer, place).iter_mut().zip(cells)) {
            let is_written = std::mem::take(&mut has_lost_half) || !is_same(before, cell);
            if !is_written {
                continue;
            }
            has_lost_half = is_wide(before);
            before.clone_from(cell);
            if !cell.symbol().is_empty() {
                changed.push(Position { x, y: place.y });
            }
        }
    }
}

/// Returns whether two cells look the same. Most have one character, for which the comparison of cells in ratatui takes
/// three times as long.
fn is_same(one: &Cell, other: &Cell) -> bool {
    if (one.fg, one.bg, one.modifier) != (other.fg, other.bg, other.modifier) {
        return false;
    }
    match (one.symbol().as_bytes(), other.symbol().as_bytes()) {
        ([one], [other]) => one == other,
        (one, other) => one == other,
    }
}

fn is_wide(cell: &Cell) -> bool {
    cell.symbol().len() > 1 && cell.symbol().width() > 1
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Style};

    use super::*;

    fn row(symbols: &[&'static str]) -> Vec<Cell> {
        symbols.iter().map(|symbol| Cell::new(symbol)).collect()
    }

    /// Replaces a row in the second column, and returns the columns of the cells that are written.
    fn written(shown: &mut ShownCells, row: &[Cell]) -> Vec<u16> {
        let mut changed = Vec::new();
        shown.replace_row((Rect::new(1, 0, 5, 1), 0), row, &mut changed);
        let cells: Vec<Cell> = row.iter().cloned().chain(std::iter::repeat(Cell::EMPTY)).take(5).collect();
        assert_eq!(shown.buffer.content[1..], cells);
        changed.iter().map(|at| at.x).collect()
    }

    #[test]
    fn cells_that_differ_are_written_and_lost_halves_of_wide_characters_too() {
        for (before, after, columns) in [
            ("abc", row(&["a", "b", "c"]), vec![]),
            ("abc", row(&["a", "x"]), vec![2, 3]),
            ("", row(&["日", "", "x"]), vec![1, 3]),
            // The text has a space in the second column of a wide character.
            ("日b", row(&["x", " ", "b"]), vec![1, 2]),
            ("日b", row(&["本", "", "b"]), vec![1]),
            ("a日", row(&["日", "", "x"]), vec![1, 3]),
        ] {
            let mut drawn = Buffer::empty(Rect::new(0, 0, 6, 1));
            drawn.set_string(1, 0, before, Style::new());
            let mut shown = ShownCells::default();
            shown.replace_all(&drawn);
            assert_eq!(written(&mut shown, &after), columns, "{before} {after:?}");
        }
    }

    #[test]
    fn rows_become_shorter_and_longer_and_a_complete_frame_may_show_anything() {
        let mut drawn = Buffer::empty(Rect::new(0, 0, 6, 1));
        let mut shown = ShownCells::default();
        shown.replace_all(&drawn);
        assert_eq!(written(&mut shown, &row(&["a", "b", "c"])), [1, 2, 3]);
        assert_eq!(written(&mut shown, &row(&["a"])), [2, 3]);
        let mut coloured = row(&["a", "b"]);
        coloured[0].fg = Color::Red;
        assert_eq!(written(&mut shown, &coloured), [1, 2]);
        drawn.set_string(1, 0, "12345", Style::new());
        shown.replace_all(&drawn);
        assert_eq!(written(&mut shown, &row(&["1"])), [2, 3, 4, 5]);
    }
}
