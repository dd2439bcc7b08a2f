//! The places of the tiles.

use ratatui::layout::Rect;

/// Smallest tile that shows something useful of an agent. A terminal that is smaller has one tile.
const MIN_TILE: (u16, u16) = (38, 8);

/// How tiles are arranged in an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TileGrid {
    /// Number of tiles.
    tiles: usize,
    /// Number of tiles in a row.
    pub(crate) columns: usize,
    /// Number of rows that are visible at once.
    pub(crate) visible_rows: usize,
}

impl TileGrid {
    /// Chooses the arrangement for a number of tiles: as square as the smallest tile permits.
    pub(crate) fn of(area: Rect, tiles: usize) -> TileGrid {
        let fitting = |length: u16, least: u16| usize::from(length / least).max(1);
        let square = (1..=tiles).find(|side| side * side >= tiles).unwrap_or(1);
        let columns = square.min(fitting(area.width, MIN_TILE.0));
        let rows = tiles.div_ceil(columns).max(1);
        TileGrid { tiles, columns, visible_rows: rows.min(fitting(area.height, MIN_TILE.1)) }
    }

    /// Returns whether some rows are not visible.
    pub(crate) fn has_hidden_rows(self) -> bool {
        self.tiles.div_ceil(self.columns) > self.visible_rows
    }

    /// Returns the place of a tile, or `None` if its row is not among those from `first_row` on that are visible.
    pub(crate) fn place(self, area: Rect, tile: usize, first_row: usize) -> Option<Rect> {
        let row = (tile / self.columns).checked_sub(first_row).filter(|row| *row < self.visible_rows)?;
        let column = tile % self.columns;
        // The tiles of a last row that is not full share its width.
        let columns = self.tiles.saturating_sub(tile - column).clamp(1, self.columns);
        let part = |length: u16, at: usize, count: usize| {
            u16::try_from(usize::from(length) * at / count).unwrap_or(length)
        };
        let (left, right) = (part(area.width, column, columns), part(area.width, column + 1, columns));
        let (top, bottom) =
            (part(area.height, row, self.visible_rows), part(area.height, row + 1, self.visible_rows));
        Some(Rect { x: area.x + left, y: area.y + top, width: right - left, height: bottom - top })
    }
}
