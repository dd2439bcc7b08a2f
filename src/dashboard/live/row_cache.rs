//! Keeps the rows of a screen as they were drawn last. Reading a cell of the emulator takes about 200 instructions, so only
//! rows that output has changed, or that have appeared, are read.

use ratatui::buffer::Cell;

use crate::dashboard::live::damage::ScreenDamage;

/// The drawn rows of one frame, without the blank cells at their ends.
#[derive(Default)]
pub(super) struct RowCache {
    /// First column and width of the rows.
    columns: (u16, u16),
    /// Position of the first row since the beginning.
    first: usize,
    rows: Vec<Vec<Cell>>,
}

impl RowCache {
    /// Brings the rows up to date: those from the position `first` on, with these columns. `convert` returns the cells of
    /// a row, counted from the first one.
    pub(super) fn update(
        &mut self,
        columns: (u16, u16),
        (first, height, damage): (usize, usize, &ScreenDamage),
        convert: impl Fn(usize) -> Vec<Cell>,
    ) {
        let mut last = std::mem::take(&mut self.rows);
        if self.columns != columns {
            last.clear();
        }
        let kept = |position: usize, last: &mut Vec<Vec<Cell>>| {
            let at = position.checked_sub(self.first).filter(|_| !damage.has(position))?;
            last.get_mut(at).map(std::mem::take)
        };
        let row = |line| kept(first + line, &mut last).unwrap_or_else(|| trimmed(convert(line)));
        let rows = (0..height).map(row).collect();
        *self = RowCache { columns, first, rows };
    }

    /// Returns the rows from the top.
    pub(super) fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }
}

/// Returns a row without the blank cells at its end.
fn trimmed(mut cells: Vec<Cell>) -> Vec<Cell> {
    let used = cells.iter().rposition(|cell| *cell != Cell::EMPTY).map_or(0, |last| last + 1);
    cells.truncate(used);
    cells
}
