//! The header: how many agents need the user, and how the list is arranged.

use ratatui::Frame;
use ratatui::style::Style;

use crate::dashboard::bars::{chips, counters, title, width_of};
use crate::dashboard::state::DashboardState;
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;
use crate::model::Status;

/// Draws the header.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().header;
    let mut rest = after(area, put(frame.buffer_mut(), area, title(state), theme.accent()));
    for item in counters(state) {
        let used = put(frame.buffer_mut(), rest, &item.text, style(item.meaning, theme));
        rest = after(rest, used);
    }
    let chips = chips(state);
    let width = u16::try_from(width_of(&chips)).unwrap_or(0);
    if let Some(gap) = rest.width.checked_sub(width) {
        let mut rest = after(rest, gap);
        for chip in chips {
            // The name of a setting is less important than its value.
            let name = chip.text.find(": ").map_or(1, |colon| colon + 2);
            let value = chip.text.trim_end().len() - 1;
            let parts = [
                (0..name, theme.dim()),
                (name..value, theme.accent()),
                (value..chip.text.len(), theme.dim()),
            ];
            for (part, style) in parts {
                rest = after(rest, put(frame.buffer_mut(), rest, &chip.text[part], style));
            }
        }
    }
}

/// Returns the style of a counter. Idle agents and separators are less important.
fn style(status: Option<Status>, theme: Theme) -> Style {
    match status {
        Some(Status::Idle) | None => theme.dim(),
        Some(status) => theme.status(status),
    }
}
