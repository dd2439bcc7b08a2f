//! The agents of the grid, and what keys do in it.

use ratatui::layout::{Position, Rect};

use crate::base::key_press::KeyPress;
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::grid::layout::TileGrid;
use crate::dashboard::live::LiveSlot;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, DashboardEffect, FollowTarget};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::rows::ListRow;
use crate::dashboard::state::selection::target;
use crate::dashboard::state::{DashboardState, Followed, followed};
use crate::model::{Agent, DashboardAction as Do};

/// Number of agents that the grid follows at once, to bound memory and threads.
const MAX_TILES: usize = 16;
/// Columns by which a tile is scrolled sideways.
const SHIFT_COLUMNS: u16 = 8;

/// The open grid.
pub(crate) struct LiveGrid {
    pub(crate) tiles: Vec<GridTile>,
    /// Index of the tile that keys scroll.
    pub(crate) focus: usize,
    /// Index of the first visible row.
    pub(crate) first_row: usize,
}

/// One agent of the grid.
pub(crate) struct GridTile {
    pub(crate) target: AgentTarget,
    pub(crate) slot: LiveSlot,
    /// Lines by which the tile is scrolled back.
    pub(crate) scroll: usize,
    /// End of the screen when it was scrolled, so that new output does not move what the user reads.
    anchor: usize,
    /// Columns that are cut off on the left.
    pub(crate) shift: u16,
    /// What the feed of the tile follows; `None` before it was started.
    followed: Option<Followed>,
}

impl DashboardState {
    /// Opens the grid with the marked agents, or else with those of the selected project.
    pub(crate) fn open_grid(&mut self) {
        let tiles: Vec<GridTile> = self
            .grid_agents()
            .into_iter()
            .filter(|agent| agent.status.is_live())
            .take(MAX_TILES)
            .map(|agent| GridTile {
                target: target(agent),
                slot: LiveSlot::default(),
                scroll: 0,
                anchor: 0,
                shift: 0,
                followed: None,
            })
            .collect();
        if tiles.is_empty() {
            return self.show_message("no agent runs here; mark agents to see them side by side");
        }
        self.grid = Some(LiveGrid { tiles, focus: 0, first_row: 0 });
        self.modals.push(Modal::Grid);
    }

    fn grid_agents(&self) -> Vec<&Agent> {
        let shown = |rows: &[ListRow]| {
            let indexes = rows.iter().map_while(|row| match row {
                ListRow::Agent(row) => Some(row.index),
                ListRow::Group(_) => None,
            });
            indexes.filter_map(|index| self.agents.get(index)).collect()
        };
        match self.rows.get(self.selected) {
            _ if !self.marks.is_empty() => self.targets(),
            Some(ListRow::Group(_)) => shown(&self.rows[self.selected + 1..]),
            Some(ListRow::Agent(_)) => {
                let project = self.selected_agent().and_then(|agent| agent.project.as_ref());
                self.agents.iter().filter(|agent| agent.project.as_ref() == project).collect()
            }
            None => vec![],
        }
    }

    /// Returns the effect that makes the feeds follow the tiles, if an agent has another pane or another size, or if the
    /// grid was closed.
    pub(crate) fn follow_tiles(&mut self) -> Option<DashboardEffect> {
        if !self.modals.iter().any(|modal| matches!(modal, Modal::Grid)) {
            return self.grid.take().map(|_| DashboardEffect::FollowTiles);
        }
        let (grid, agents) = (self.grid.as_mut()?, &self.agents);
        let mut has_changed = false;
        for tile in &mut grid.tiles {
            let agent = agents.iter().find(|agent| AgentKey::of(agent) == tile.target.key);
            let wanted = agent.map(followed);
            if wanted.is_some() && wanted != tile.followed {
                tile.followed = wanted;
                has_changed = true;
            }
        }
        has_changed.then_some(DashboardEffect::FollowTiles)
    }

    /// Applies a key to the grid. The grid was taken from the stack of windows and is put back unless the key closes it.
    pub(crate) fn grid_key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        let area = self.grid_area();
        let action = self.bindings.action(KeyScreen::Grid, key);
        let Some(grid) = &mut self.grid else { return vec![] };
        let columns = isize::try_from(TileGrid::of(area, grid.tiles.len()).columns).unwrap_or(1);
        match action {
            Some(Do::PreviousTile) => grid.move_focus(-1),
            Some(Do::NextTile) => grid.move_focus(1),
            Some(Do::Up) => grid.move_focus(-columns),
            Some(Do::Down) => grid.move_focus(columns),
            Some(Do::ScrollUp) => grid.scroll(area, 1),
            Some(Do::ScrollDown) => grid.scroll(area, -1),
            Some(Do::ScrollLeft) => grid.shift(area, -1),
            Some(Do::ScrollRight) => grid.shift(area, 1),
            Some(Do::ShowInList) => {
                let key = grid.tiles.get(grid.focus).map(|tile| tile.target.key.clone());
                if let Some(key) =
                    key.filter(|key| self.agents.iter().any(|agent| AgentKey::of(agent) == *key))
                {
                    self.reveal(&key);
                }
                return vec![];
            }
            Some(Do::Close) => return vec![],
            _ => {}
        }
        grid.show_focus(area);
        self.modals.push(Modal::Grid);
        vec![]
    }

    /// Scrolls the tile at a position by lines; a positive number scrolls back.
    pub(crate) fn scroll_tile_at(&mut self, at: Position, by: isize) {
        let area = self.grid_area();
        if let Some(grid) = &mut self.grid
            && let Some(tile) = grid.tile_at(area, at)
        {
            grid.scroll_lines(area, tile, by);
        }
    }

    /// Moves the focus to the tile at a position.
    pub(crate) fn focus_tile_at(&mut self, at: Position) {
        let area = self.grid_area();
        if let Some(grid) = &mut self.grid
            && let Some(tile) = grid.tile_at(area, at)
        {
            grid.focus = tile;
        }
    }

    /// Keeps scrolled tiles in their places after agents have printed something.
    pub(crate) fn hold_tiles(&mut self) {
        let area = self.grid_area();
        if let Some(grid) = &mut self.grid {
            grid.hold_scroll(area);
        }
    }

    /// Returns the area of all tiles.
    pub(crate) fn grid_area(&self) -> Rect {
        let areas = self.areas();
        let (width, height) = self.size;
        let taken = areas.header.height + areas.footer.height;
        Rect::new(0, areas.header.height, width, height.saturating_sub(taken))
    }
}

impl GridTile {
    /// Returns what the feed of the tile has to show.
    pub(crate) fn follow_target(&self) -> FollowTarget {
        let has_screen = self.followed.as_ref().is_some_and(|followed| followed.pane.is_some());
        FollowTarget { agent: self.target.clone(), has_screen }
    }
}

impl LiveGrid {
    fn move_focus(&mut self, by: isize) {
        let last = self.tiles.len().saturating_sub(1);
        if let Some(next) = self.focus.checked_add_signed(by) {
            self.focus = next.min(last);
        }
    }

    /// Scrolls the rows so that the tile with the focus is visible.
    fn show_focus(&mut self, area: Rect) {
        let grid = TileGrid::of(area, self.tiles.len());
        let row = self.focus / grid.columns;
        self.first_row = self.first_row.min(row).max((row + 1).saturating_sub(grid.visible_rows));
    }

    /// Scrolls the tile with the focus by half of its height; a positive direction scrolls back.
    fn scroll(&mut self, area: Rect, direction: isize) {
        let page = isize::try_from(self.tile_height(area, self.focus) / 2).unwrap_or(1).max(1);
        self.scroll_lines(area, self.focus, direction * page);
    }

    /// Scrolls a tile by lines; a positive number scrolls back.
    fn scroll_lines(&mut self, area: Rect, at: usize, by: isize) {
        let height = self.tile_height(area, at);
        let Some(tile) = self.tiles.get_mut(at) else { return };
        tile.scroll = tile.scroll.saturating_add_signed(by).min(tile.slot.max_scroll(height));
        tile.anchor = tile.slot.end_position(height);
    }

    /// Keeps the lines that the user reads in their places after agents have printed something.
    fn hold_scroll(&mut self, area: Rect) {
        for at in 0..self.tiles.len() {
            let height = self.tile_height(area, at);
            let tile = &mut self.tiles[at];
            if tile.scroll > 0 && height > 0 {
                let end = tile.slot.end_position(height);
                let scroll = tile.scroll + end.saturating_sub(tile.anchor);
                tile.scroll = scroll.min(tile.slot.max_scroll(height));
                tile.anchor = end;
            }
        }
    }

    /// Returns the lines of a tile below its title; 0 if it is not visible.
    fn tile_height(&self, area: Rect, at: usize) -> u16 {
        let place = TileGrid::of(area, self.tiles.len()).place(area, at, self.first_row);
        place.map_or(0, |place| place.height.saturating_sub(1))
    }

    /// Returns the index of the tile at a position.
    fn tile_at(&self, area: Rect, at: Position) -> Option<usize> {
        let places = TileGrid::of(area, self.tiles.len());
        let is_here =
            |tile: &usize| places.place(area, *tile, self.first_row).is_some_and(|place| place.contains(at));
        (0..self.tiles.len()).find(is_here)
    }

    /// Scrolls the tile with the focus sideways; a positive direction scrolls to the right.
    fn shift(&mut self, area: Rect, direction: i16) {
        let place = TileGrid::of(area, self.tiles.len()).place(area, self.focus, self.first_row);
        let (Some(tile), Some(place)) = (self.tiles.get_mut(self.focus), place) else { return };
        let by = direction * i16::try_from(SHIFT_COLUMNS).unwrap_or(1);
        let most = tile.slot.width().saturating_sub(place.width.saturating_sub(1));
        tile.shift = tile.shift.saturating_add_signed(by).min(most);
    }
}
