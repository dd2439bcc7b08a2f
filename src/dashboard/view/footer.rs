//! The footer: the filter while it is edited, a message, or the keys that are useful here.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::dashboard::bindings::{Bindings, KeyScreen};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::{DashboardState, Tone};
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;
use crate::model::{DashboardAction as Do, WaitingFor};

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
    let own = state.bindings.footer(screen);
    if screen != KeyScreen::List {
        let own = own.into_iter().map(|(_, key, label)| (key.to_string(), label.to_owned()));
        let fixed = Bindings::fixed(screen).map(|(key, what)| (key.to_owned(), what.to_owned()));
        return own.chain(fixed).collect();
    }
    let offer = RowOffer::of(state);
    let (first, others): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|(action, ..)| Some(*action) == offer.most_useful());
    let offered = first.into_iter().chain(others);
    let named = offered
        .filter_map(|(action, key, label)| Some((key.to_string(), offer.label(action, label)?.into())));
    named.collect()
}

/// What the keys of the list can do for the selected row.
struct RowOffer {
    has_rows: bool,
    /// Whether there are agents, shown or hidden by the filter.
    has_agents: bool,
    /// Whether an agent is selected or marked.
    has_target: bool,
    is_live: bool,
    asks_for_approval: bool,
    /// What Enter does with a running agent.
    choosing: &'static str,
}

impl RowOffer {
    fn of(state: &DashboardState) -> RowOffer {
        let asks = state.selected_agent().filter(|agent| state.open_question(agent).is_some());
        let targets = state.targets();
        RowOffer {
            has_rows: !state.rows.is_empty(),
            has_agents: !state.agents.is_empty(),
            has_target: !targets.is_empty(),
            is_live: targets.iter().any(|agent| agent.status.is_live()),
            asks_for_approval: asks.is_some_and(|agent| agent.waiting_for == Some(WaitingFor::Approval)),
            choosing: choosing(state),
        }
    }

    /// Returns the action that comes first, if it is not the usual one.
    fn most_useful(&self) -> Option<Do> {
        match self {
            _ if !self.has_agents => Some(Do::Spawn),
            _ if self.has_target && !self.is_live => Some(Do::Resume),
            _ => None,
        }
    }

    /// Returns the label of an action, or `None` if it is useless here.
    fn label(&self, action: Do, usual: &'static str) -> Option<&'static str> {
        let is_offered = match action {
            Do::Approve | Do::Deny => self.asks_for_approval,
            Do::Focus if !self.has_target => return self.has_rows.then_some("fold"),
            Do::Focus => return self.is_live.then_some(self.choosing),
            // Enter does the same.
            Do::Attach if self.choosing != TYPING => false,
            Do::Attach | Do::Prompt | Do::Interrupt | Do::Hibernate => self.is_live,
            Do::Resume => self.has_target && !self.is_live,
            Do::Filter | Do::NextWaiting | Do::Grid => self.has_agents,
            other => self.has_target || !other.is_about_agent(),
        };
        is_offered.then_some(usual)
    }
}

/// Name of what Enter does with an agent beside the list.
const TYPING: &str = "type";

/// Returns what Enter does with a running agent.
pub(super) fn choosing(state: &DashboardState) -> &'static str {
    match (&state.surroundings.switched_client, state.surroundings.is_sidebar) {
        (Some(_), _) => "switch",
        (None, true) => "attach",
        (None, false) => TYPING,
    }
}
