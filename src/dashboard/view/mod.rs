//! Draws the state. Nothing here changes the state or performs I/O.
//!
//! - `header`: counters and chips
//! - `list` and `columns`: the rows of the list
//! - `tabs` and `detail`: the tabs of the selected agent; `question` and `screen` are parts of it
//! - `overview`: the detail pane while no agent is selected
//! - `footer`: messages and keys
//! - `modals`: windows above all of this; `question/window` is the one that shows questions in full
//! - `form`: the form that starts agents
//! - `diff`: the changes of an agent
//! - `grid`: several live agents side by side
//! - `theme` and `text`: colours, and text by display width

mod columns;
mod detail;
mod diff;
mod footer;
mod form;
mod grid;
mod header;
mod list;
mod modals;
mod overview;
mod question;
mod screen;
mod tabs;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod theme;

use ratatui::Frame;

use crate::dashboard::columns::visible_ages;
use crate::dashboard::frames::shown_cells::ShownCells;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::modal::Modal;
use diff::Cursor;
use theme::Theme;

pub(crate) use screen::ScreenChanges;

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    header::draw(frame, state, theme);
    if let Some(grid) = &state.grid {
        grid::draw(frame, state, grid, theme);
        footer::draw(frame, state, theme);
        modals::draw(frame, state, theme);
        return;
    }
    let is_review = state.modals.iter().any(|modal| matches!(modal, Modal::Diff));
    if let Some(diff) = state.diff.as_ref().filter(|_| is_review) {
        diff::draw(frame, diff, theme, (state.grid_area(), Cursor::Visible));
        footer::draw(frame, state, theme);
        modals::draw(frame, state, theme);
        return;
    }
    list::draw(frame, state, theme);
    let divider = state.areas().divider;
    for line in 0..divider.height {
        text::put(frame.buffer_mut(), text::line_of(divider, line), "│", theme.dim());
    }
    if !state.areas().tabs.is_empty() && state.selected_agent().is_none() {
        overview::draw(frame, state, theme);
    } else if !state.areas().tabs.is_empty() {
        tabs::draw(frame, state, theme);
        detail::draw(frame, state, theme);
    } else if state.surroundings.is_sidebar {
        question::draw(frame, state, theme, state.areas().body);
    }
    footer::draw(frame, state, theme);
    modals::draw(frame, state, theme);
}

/// Brings the live screen of the selected agent up to date in cells that show everything else, and returns those that
/// have changed. Returns `None` if output of the agent may change something else.
pub(crate) fn update_screen(
    shown: &mut ShownCells,
    state: &DashboardState,
    theme: Theme,
) -> Option<ScreenChanges> {
    screen::update(shown, state, theme, detail::bare_screen_area(state)?)
}

/// Returns the texts that change with time alone. The screen is drawn again only if they have changed.
pub(crate) fn ages(state: &DashboardState) -> Vec<String> {
    visible_ages(state)
}
