//! The footer: the filter while it is edited, a message, or the keys that are useful here.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::dashboard::bindings::{Bindings, KeyScreen};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::{DashboardState, Tone};
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;
use crate::model::{DashboardAction, WaitingFor};

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
    let screen = state.key_screen();
    let mut rest = after(area, 1);
    for (key, label) in keys(state, screen) {
        let needed = key.chars().count() + label.chars().count() + 3;
        if needed > rest.width.into() {
            break;
        }
        let used = put(frame.buffer_mut(), rest, &key, theme.accent());
        let used = used + put(frame.buffer_mut(), after(rest, used), &format!(" {label}  "), theme.dim());
        rest = after(rest, used);
    }
}

fn keys(state: &DashboardState, screen: KeyScreen) -> Vec<(String, String)> {
    let asks = state.selected_agent().filter(|agent| state.open_question(agent).is_some());
    let asks_for_approval = asks.is_some_and(|agent| agent.waiting_for == Some(WaitingFor::Approval));
    let is_useful = |action: DashboardAction| match action {
        DashboardAction::Approve | DashboardAction::Deny => asks_for_approval,
        _ => true,
    };
    let own = state.bindings.footer(screen).into_iter().filter(|(action, ..)| is_useful(*action));
    let own = own.map(|(_, key, label)| (key.to_string(), label.to_owned()));
    match screen {
        KeyScreen::List => own.collect(),
        _ => {
            own.chain(Bindings::fixed(screen).map(|(key, what)| (key.to_owned(), what.to_owned()))).collect()
        }
    }
}
