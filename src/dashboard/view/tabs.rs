//! The line with the names of the tabs.

use ratatui::Frame;
use unicode_width::UnicodeWidthStr;

use crate::dashboard::layout::tab_places;
use crate::dashboard::state::{DashboardState, InputMode};
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;

/// Draws the tabs, and after them the name of the agent.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().tabs;
    frame.buffer_mut().set_style(area, theme.dim());
    let mut used = 0;
    for (tab, rect) in tab_places(area) {
        let style = if tab == state.detail.tab { theme.active() } else { theme.dim() };
        put(frame.buffer_mut(), rect, &format!(" {} ", tab.word()), style);
        used += rect.width;
    }
    let Some(address) = state.selected_target().map(|target| target.address()) else { return };
    let rest = after(area, used);
    let style = if state.mode == InputMode::Agent { theme.attention() } else { theme.dim() };
    let text = match state.mode {
        InputMode::Agent => format!(" typing into {address}"),
        InputMode::List => format!(" {address}"),
    };
    // While keys go to the agent, its name is more important than the last tabs.
    let width = u16::try_from(text.width()).unwrap_or(u16::MAX).min(area.width);
    let rest = match state.mode == InputMode::Agent && rest.width < width {
        true => after(area, area.width - width),
        false => rest,
    };
    put(frame.buffer_mut(), rest, &text, style);
}
