//! The footer: the filter while it is edited, a message, or the keys that are useful here.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::dashboard::bars::{FooterKey, footer_keys};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::{DashboardState, Tone};
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;

/// Draws the footer.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().footer;
    if let Some(Modal::Filter(input)) = state.modals.last() {
        let used = put(frame.buffer_mut(), area, &format!(" /{}", input.text()), theme.accent());
        let cursor =
            u16::try_from(input.cursor().0 + 2).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x: area.x + cursor, y: area.y });
        let hint = "   Enter keeps the filter, Escape removes it";
        put(frame.buffer_mut(), after(area, used), hint, theme.dim());
        return;
    }
    if let Some(flash) = &state.flash {
        let style = match flash.tone {
            Tone::Good => theme.good(),
            Tone::Bad => theme.bad(),
        };
        put(frame.buffer_mut(), area, &format!(" {}", flash.text), style);
        return;
    }
    if let Some(silence) = &state.silence {
        put(frame.buffer_mut(), area, &format!(" {silence}"), theme.bad());
        return;
    }
    draw_keys(frame, state, theme, area);
}

fn draw_keys(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) {
    let mut rest = after(area, 1);
    for FooterKey { key, label, .. } in footer_keys(state) {
        let used = put(frame.buffer_mut(), rest, &key, theme.accent());
        let used = used + put(frame.buffer_mut(), after(rest, used), &format!(" {label}  "), theme.dim());
        rest = after(rest, used);
    }
}
