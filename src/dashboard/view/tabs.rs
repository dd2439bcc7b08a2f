//! The line with the names of the tabs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::base::plural::counted;
use crate::dashboard::layout::tab_places;
use crate::dashboard::state::{DashboardState, InputMode};
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;
use crate::model::DashboardAction;

/// Columns that the name of the agent needs at least, if it does not fit.
const MIN_NAME_WIDTH: u16 = 8;

/// Draws the tabs, and after them the name of the agent.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().tabs;
    if area.x == 0 {
        // The line also divides the detail pane from the list above it.
        put(frame.buffer_mut(), area, &"─".repeat(area.width.into()), theme.dim());
    }
    let mut used = 0;
    for (tab, rect) in tab_places(area, state.detail.tab) {
        let style = if tab == state.detail.tab { theme.active() } else { theme.dim() };
        put(frame.buffer_mut(), rect, &format!(" {} ", tab.word()), style);
        used += rect.width;
    }
    let Some(address) = state.selected_target().map(|target| target.address()) else { return };
    let rest = after(area, used);
    let style = match state.mode {
        InputMode::Agent => theme.attention(),
        InputMode::List => Style::new().add_modifier(Modifier::BOLD),
    };
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
    // A few letters of the name would say less than the list does.
    if rest.width < width.min(MIN_NAME_WIDTH) {
        return;
    }
    let rest = after(rest, put(frame.buffer_mut(), rest, &text, style));
    let rest = after(rest, put(frame.buffer_mut(), rest, " ", theme.dim()));
    draw_position(frame, state, theme, rest);
}

/// Draws at the end of the line that the tab is scrolled back.
fn draw_position(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) {
    let scroll = state.detail.scroll;
    if scroll == 0 || !state.is_anchored_at_end() {
        return;
    }
    let lines = counted(scroll, "line", "lines");
    let key = state.key_text(DashboardAction::ScrollDown);
    let forms = [format!(" {lines} back · {key} forward "), format!(" ↑{scroll} ")];
    let fits = |text: &&String| text.width() <= area.width.into();
    if let Some(text) = forms.iter().find(fits) {
        let gap = area.width - u16::try_from(text.width()).unwrap_or(area.width);
        put(frame.buffer_mut(), after(area, gap), text, theme.attention());
    }
}
