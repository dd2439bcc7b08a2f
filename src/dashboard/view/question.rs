//! The question of the selected agent, in full and with its options.

pub(super) mod window;

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::base::plural::counted;
use crate::dashboard::bars::choosing;
use crate::dashboard::state::DashboardState;
use crate::dashboard::view::text::{line_of, put};
use crate::dashboard::view::theme::Theme;
use crate::model::{Agent, DashboardAction, WaitingFor};

/// Between two keys.
const SEPARATOR: &str = " · ";

/// Draws the question at the top of an area and returns the rest of the area.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) -> Rect {
    let Some(agent) = state.selected_agent() else { return area };
    let (Some(question), Some(excerpt)) = (&agent.question, state.question_excerpt()) else { return area };
    let last = match (state.taken_label(agent, question), excerpt.below) {
        (Some(label), _) => label.to_owned(),
        (None, 0) => keys(state, (agent, question.options.len()), area.width.saturating_sub(1).into()),
        (None, below) => hidden(state, agent, below),
    };
    let lines = excerpt.lines.iter().chain([&last]).take(area.height.into());
    let mut height = 0;
    for (line, text) in (0..).zip(lines) {
        put(frame.buffer_mut(), line_of(area, line), &format!("▌{text}"), theme.attention());
        height = line + 1;
    }
    Rect { y: area.y + height, height: area.height - height, ..area }
}

/// Returns how many lines have no room, and the keys that show them.
fn hidden(state: &DashboardState, agent: &Agent, below: usize) -> String {
    let key = |action| state.key_text(action);
    let keys = match agent.waiting_for {
        Some(WaitingFor::Approval) => {
            format!("{} {}", key(DashboardAction::Approve), key(DashboardAction::Deny))
        }
        _ => "1".to_owned(),
    };
    format!("… {} · {keys} show all of it", counted(below, "more line", "more lines"))
}

/// Returns the keys that answer the question, as far as they fit.
fn keys(state: &DashboardState, (agent, options): (&Agent, usize), width: usize) -> String {
    let key = |action| state.key_text(action);
    let mut keys = Vec::new();
    if agent.waiting_for == Some(WaitingFor::Approval) {
        keys.push(format!("{} approve", key(DashboardAction::Approve)));
        keys.push(format!("{} deny", key(DashboardAction::Deny)));
    } else if options == 0 {
        keys.push(format!("{} write an answer", key(DashboardAction::Prompt)));
    }
    keys.extend(choosing_keys(options));
    keys.push(format!("{} {}", key(DashboardAction::Focus), choosing(state)));
    while keys.len() > 1 && keys.join(SEPARATOR).width() > width {
        keys.pop();
    }
    keys.join(SEPARATOR)
}

/// Returns the keys that choose one of a number of options.
fn choosing_keys(options: usize) -> Option<String> {
    match options {
        0 => None,
        1 => Some("1 choose".to_owned()),
        count @ 2..=9 => Some(format!("1–{count} choose")),
        count => Some(format!("1–{count} and Enter choose")),
    }
}
