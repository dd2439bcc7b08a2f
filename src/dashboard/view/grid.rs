//! The tiles of the grid.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::dashboard::grid::layout::TileGrid;
use crate::dashboard::grid::tiles::{GridTile, LiveGrid};
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::Viewport;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::rows::needs_you;
use crate::dashboard::view::screen::{draw_cells, draw_text};
use crate::dashboard::view::text::{line_of, padded, put};
use crate::dashboard::view::theme::Theme;
use crate::model::Agent;
use crate::text::agent::status_word;

/// Draws all visible tiles.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, grid: &LiveGrid, theme: Theme) {
    let area = state.grid_area();
    let places = TileGrid::of(area, grid.tiles.len());
    for (at, tile) in grid.tiles.iter().enumerate() {
        let Some(place) = places.place(area, at, grid.first_row).filter(|place| !place.is_empty()) else {
            continue;
        };
        // Only a part of the tiles has room.
        let number = match places.has_hidden_rows() {
            true => format!(" {}/{}", at + 1, grid.tiles.len()),
            false => String::new(),
        };
        let title = number + &title(state, tile);
        let asks = agent_of(state, tile).is_some_and(needs_you);
        let style = match at == grid.focus {
            true => theme.active(),
            false if asks => theme.attention(),
            false => theme.dim(),
        };
        let is_last = place.right() >= area.right();
        let inner = Rect { width: place.width.saturating_sub(u16::from(!is_last)), ..place };
        put(frame.buffer_mut(), line_of(inner, 0), &padded(&title, inner.width.into()), style);
        let below = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
        draw_tile(frame, (tile, below), theme);
        for line in 0..if is_last { 0 } else { place.height } {
            let edge = Rect { x: place.right() - 1, width: 1, ..line_of(place, line) };
            put(frame.buffer_mut(), edge, "│", theme.dim());
        }
    }
}

fn agent_of<'a>(state: &'a DashboardState, tile: &GridTile) -> Option<&'a Agent> {
    state.agents.iter().find(|agent| AgentKey::of(agent) == tile.target.key)
}

fn title(state: &DashboardState, tile: &GridTile) -> String {
    let agent = agent_of(state, tile);
    let status = agent.map_or_else(|| "removed".to_owned(), status_word);
    let question = agent.and_then(|agent| agent.question.as_ref());
    let asks = question.map(|question| format!(" · {}", question.text)).unwrap_or_default();
    format!(" {} · {status}{asks}", tile.target.name)
}

fn draw_tile(frame: &mut Frame<'_>, (tile, area): (&GridTile, Rect), theme: Theme) {
    let viewport =
        Viewport { width: area.width, height: area.height, scroll: tile.scroll, shift: tile.shift };
    tile.slot.with(|content| match content {
        LiveContent::Empty => {}
        LiveContent::Screen(_, screen) => {
            draw_cells(frame.buffer_mut(), (area, viewport), screen, theme);
        }
        LiveContent::Text(_, why, lines) => {
            draw_text(frame.buffer_mut(), (area, viewport), (why, lines), theme);
        }
    });
}
