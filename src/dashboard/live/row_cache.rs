//! Keeps the rows of a screen as they were drawn last. Most output adds a line and scrolls the others, and reading a cell
//! of the emulator takes about 200 instructions, so only new rows are read cell by cell.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ratatui::buffer::Cell;

use crate::dashboard::live::screen::Viewport;

/// The drawn rows of one frame. The key of a row is its text with its attributes, in the form of escape sequences.
#[derive(Default)]
pub(super) struct RowCache {
    /// First column and width of the rows.
    columns: (u16, u16),
    rows: HashMap<String, Vec<Cell>>,
}

impl RowCache {
    /// Calls `draw` with the line and the cells of each row that is not blank. `convert` returns the cells of a row that
    /// was not part of the last frame.
    pub(super) fn draw(
        &mut self,
        viewport: Viewport,
        rows: impl Iterator<Item = (u16, String)>,
        (convert, mut draw): (impl Fn(u16) -> Vec<Cell>, impl FnMut(u16, &[Cell])),
    ) {
        let columns = (viewport.shift, viewport.width);
        let mut last = match self.columns == columns {
            true => std::mem::take(&mut self.rows),
            false => HashMap::new(),
        };
        let mut drawn = HashMap::with_capacity(last.len());
        for (line, row) in rows.filter(|(_, row)| !row.is_empty()) {
            let cells: &mut Vec<Cell> = match drawn.entry(row) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let cells = last.remove(entry.key()).unwrap_or_else(|| trimmed(convert(line)));
                    entry.insert(cells)
                }
            };
            draw(line, cells);
        }
        *self = RowCache { columns, rows: drawn };
    }
}

/// Returns a row without the blank cells at its end.
fn trimmed(mut cells: Vec<Cell>) -> Vec<Cell> {
    let used = cells.iter().rposition(|cell| *cell != Cell::EMPTY).map_or(0, |last| last + 1);
    cells.truncate(used);
    cells
}
