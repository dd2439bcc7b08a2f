//! The screen of an agent, cell by cell. Nothing that an agent prints reaches the terminal in any other way.

use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::frames::shown_cells::ShownCells;
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::{LiveScreen, Viewport};
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::{DashboardState, InputMode};
use crate::dashboard::view::text::{fitted, line_of, put, without_columns, without_lines};
use crate::dashboard::view::theme::{ColorDepth, Theme};
use crate::model::is_deceptive;
use crate::text::fit::wrapped;

/// Draws the live screen of the selected agent.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) {
    let Some(key) = state.selected_agent().map(AgentKey::of) else { return };
    let viewport = Viewport {
        width: area.width,
        height: area.height,
        scroll: state.detail.scroll,
        shift: state.detail.shift,
    };
    let cursor = state.live.with(|content| match content {
        LiveContent::Screen(of, screen) if *of == key => {
            draw_cells(frame.buffer_mut(), (area, viewport), screen, theme)
        }
        LiveContent::Text(of, why, lines) if *of == key => {
            draw_text(frame.buffer_mut(), (area, viewport), (why, lines), theme);
            None
        }
        _ => None,
    });
    if state.mode == InputMode::Agent
        && state.modals.is_empty()
        && let Some((column, line)) = cursor
    {
        frame.set_cursor_position(Position { x: area.x + column, y: area.y + line });
    }
}

/// The cells of a live screen that have changed.
pub(crate) struct ScreenChanges {
    pub(crate) cells: Vec<Position>,
    /// The cursor of the agent, if it is visible.
    pub(crate) cursor: Option<Position>,
}

/// Brings the live screen of the selected agent in an area up to date. Returns `None` if the agent has no live screen.
pub(super) fn update(
    shown: &mut ShownCells,
    state: &DashboardState,
    theme: Theme,
    area: Rect,
) -> Option<ScreenChanges> {
    let key = state.selected_agent().map(AgentKey::of)?;
    let viewport = Viewport { width: area.width, height: area.height, scroll: 0, shift: state.detail.shift };
    let convert = |column, cell: &vt100::Cell| drawn_cell(cell, (column, viewport.width), theme);
    state.live.with(|content| {
        let LiveContent::Screen(of, screen) = content else { return None };
        if *of != key {
            return None;
        }
        let mut cells = Vec::new();
        let mut replace = |line, row: &[Cell]| shown.replace_row((area, line), row, &mut cells);
        let mut next = 0;
        let cursor = screen.draw(viewport, convert, |line, row| {
            (next..line).for_each(|blank| replace(blank, &[]));
            replace(line, row);
            next = line + 1;
        });
        (next..area.height).for_each(|blank| replace(blank, &[]));
        let cursor = cursor.map(|(column, line)| Position { x: area.x + column, y: area.y + line });
        Some(ScreenChanges { cells, cursor })
    })
}

/// Draws the cells of a screen and returns the position of its cursor.
pub(crate) fn draw_cells(
    buffer: &mut Buffer,
    (area, viewport): (Rect, Viewport),
    screen: &mut LiveScreen,
    theme: Theme,
) -> Option<(u16, u16)> {
    let convert = |column, cell: &vt100::Cell| drawn_cell(cell, (column, viewport.width), theme);
    screen.draw(viewport, convert, |line, cells| {
        for (x, cell) in (area.x..).zip(cells) {
            if let Some(cell_there) = buffer.cell_mut(Position { x, y: area.y + line }) {
                cell_there.clone_from(cell);
            }
        }
    })
}

/// Returns a cell of a screen as it is drawn in a column of a viewport of this width.
fn drawn_cell(cell: &vt100::Cell, (column, width): (u16, u16), theme: Theme) -> Cell {
    let mut drawn = Cell::EMPTY;
    // The first half of a wide character covers the second one, unless it is cut off on the left.
    let is_covered = cell.is_wide_continuation() && column > 0;
    if is_blank(cell) && !is_covered {
        return drawn;
    }
    drawn.set_style(style(cell, theme));
    if cell.is_wide_continuation() {
        drawn.set_symbol(if is_covered { "" } else { " " });
        return drawn;
    }
    let text = cell.contents();
    if let [byte @ b' '..=b'~'] = text.as_bytes() {
        drawn.set_char(char::from(*byte));
        return drawn;
    }
    let columns = if cell.is_wide() { 2 } else { 1 };
    let is_cut = columns == 2 && column + 1 >= width;
    let is_safe = !text.is_empty() && !text.contains(is_deceptive) && text.width() == columns && !is_cut;
    // The second half of a wide character is not drawn, so two spaces replace it.
    let replacement = if columns == 2 && !is_cut { "  " } else { " " };
    drawn.set_symbol(if is_safe { text } else { replacement });
    drawn
}

/// Returns whether nothing of a cell can be seen.
fn is_blank(cell: &vt100::Cell) -> bool {
    !cell.has_contents() && !cell.inverse() && !cell.underline() && cell.bgcolor() == vt100::Color::Default
}

fn style(cell: &vt100::Cell, theme: Theme) -> Style {
    let mut style = Style::new();
    if theme.depth != ColorDepth::None {
        style = style.fg(theme.fitting(cell.fgcolor())).bg(theme.fitting(cell.bgcolor()));
    }
    let modifiers = [
        (cell.bold(), Modifier::BOLD),
        (cell.dim(), Modifier::DIM),
        (cell.italic(), Modifier::ITALIC),
        (cell.underline(), Modifier::UNDERLINED),
        (cell.inverse(), Modifier::REVERSED),
    ];
    modifiers
        .into_iter()
        .filter(|(is_set, _)| *is_set)
        .fold(style, |style, (_, modifier)| style.add_modifier(modifier))
}

/// Draws the end of the transcript of an agent that has no screen.
pub(super) fn draw_text(
    buffer: &mut Buffer,
    (area, viewport): (Rect, Viewport),
    (why, lines): (&str, &[String]),
    theme: Theme,
) {
    let why = wrapped(why, area.width.into());
    for (at, line) in (0..).zip(&why) {
        put(buffer, line_of(area, at), line, theme.dim());
    }
    let area = without_lines(area, why.len());
    let height = usize::from(area.height);
    let last = lines.len().saturating_sub(viewport.scroll);
    for (at, line) in (0..).zip(&lines[last.saturating_sub(height)..last]) {
        let shifted = without_columns(line, viewport.shift.into());
        put(buffer, line_of(area, at), &fitted(&shifted, area.width.into()), Style::new());
    }
}
