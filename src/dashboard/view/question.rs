//! The question of the selected agent, in full and with its options.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::dashboard::state::DashboardState;
use crate::dashboard::view::footer::choosing;
use crate::dashboard::view::text::{line_of, put, wrapped};
use crate::dashboard::view::theme::Theme;
use crate::model::{Agent, DashboardAction, Extent, WaitingFor, visible};

/// Draws the question at the top of an area and returns the rest of the area.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) -> Rect {
    let Some(agent) = state.selected_agent().filter(|agent| agent.question.is_some()) else { return area };
    let lines = lines(state, agent, area.width.saturating_sub(2).into());
    // The screen below shows the dialog itself, so it keeps at least a third. A sidebar has no screen.
    let kept = if state.surroundings.is_sidebar { 0 } else { area.height / 3 };
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height - kept);
    for (at, line) in lines.iter().take(height.into()).enumerate() {
        let rect = line_of(area, u16::try_from(at).unwrap_or(u16::MAX));
        put(frame.buffer_mut(), rect, &format!("▌{line}"), theme.attention());
    }
    Rect { y: area.y + height, height: area.height - height, ..area }
}

fn lines(state: &DashboardState, agent: &Agent, width: usize) -> Vec<String> {
    let Some(question) = &agent.question else { return vec![] };
    let mut lines: Vec<String> =
        visible(&question.text).iter().flat_map(|line| wrapped(line, width)).collect();
    if question.extent == Extent::Cut {
        lines.push("… (longer than what is kept)".to_owned());
    }
    let numbered = |(at, option): (usize, &String)| match option.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("  {option}"),
        false => format!("  {}. {option}", at + 1),
    };
    lines.extend(question.options.iter().enumerate().map(numbered));
    lines.push(match state.taken_label(agent, question) {
        Some(label) => label.to_owned(),
        None => keys(state, agent, question.options.len()),
    });
    lines
}

/// Returns the keys that answer the question.
fn keys(state: &DashboardState, agent: &Agent, options: usize) -> String {
    let key = |action| state.key_text(action);
    let mut keys = Vec::new();
    if agent.waiting_for == Some(WaitingFor::Approval) {
        keys.push(format!("{} approve", key(DashboardAction::Approve)));
        keys.push(format!("{} deny", key(DashboardAction::Deny)));
    } else if options == 0 {
        keys.push(format!("{} write an answer", key(DashboardAction::Prompt)));
    }
    match options {
        0 => {}
        1 => keys.push("1 choose".to_owned()),
        count => keys.push(format!("1–{} choose", count.min(9))),
    }
    keys.push(format!("{} {}", key(DashboardAction::Focus), choosing(state)));
    keys.join(" · ")
}
