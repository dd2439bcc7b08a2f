//! The detail pane while no agent is selected: a summary of the selected group, or how to start the first agent.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::counted;
use crate::dashboard::columns::{content, name};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::rows::{GroupRow, ListRow, members, needs_you};
use crate::dashboard::view::text::{after, line_of, put, without_lines};
use crate::dashboard::view::theme::{Theme, shape};
use crate::model::{Agent, DashboardAction as Do, DashboardColumn, Status};
use crate::text::fit::{below_home, wrapped};

/// Columns of the keys.
const KEY_WIDTH: usize = 6;

/// Commands that start agents, with what they do.
const COMMANDS: [(&str, &str); 3] = [
    ("symposium agent spawn claude --task \"fix the tests\"", "starts Claude Code with a first prompt"),
    ("symposium agent spawn demo", "starts an agent that needs no account, to try things out"),
    ("symposium doctor", "checks tmux and the agent CLIs"),
];

/// Draws what is known without an agent.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let areas = state.areas();
    if areas.tabs.x == 0 {
        // The line divides the detail pane from the list above it.
        let rule = "─".repeat(areas.tabs.width.into());
        put(frame.buffer_mut(), areas.tabs, &rule, theme.dim());
    }
    match state.rows.get(state.selected) {
        Some(ListRow::Group(group)) => draw_group(frame, state, theme, group),
        _ if state.is_loaded && state.agents.is_empty() => draw_start(frame, state, theme, areas.body),
        _ => {}
    }
}

fn draw_group(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, group: &GroupRow) {
    let areas = state.areas();
    let title = below_home(&group.title, state.user_home.as_deref());
    put(frame.buffer_mut(), areas.tabs, &format!(" {title} "), theme.accent());
    let members = members(&state.agents, state.arrangement.grouping, &group.title);
    draw_counts(frame, theme, line_of(areas.body, 0), &members);
    let mut rest = without_lines(areas.body, 2);
    let (needing, others): (Vec<&Agent>, Vec<&Agent>) = members.iter().partition(|agent| needs_you(agent));
    for (heading, agents) in [("needs you", needing), ("others", others)] {
        if agents.is_empty() {
            continue;
        }
        put(frame.buffer_mut(), line_of(rest, 0), &format!(" {heading}"), theme.dim());
        rest = without_lines(rest, 1);
        for agent in agents {
            let style = theme.status(agent.status);
            let line = line_of(rest, 0);
            let used = put(frame.buffer_mut(), line, &format!(" {} ", shape(agent.status)), style);
            let text = format!("{}: {}", name(agent), content(state, agent, DashboardColumn::Activity));
            put(frame.buffer_mut(), after(line, used), &text, Style::new());
            rest = without_lines(rest, 1);
        }
        rest = without_lines(rest, 1);
    }
}

/// Draws how many agents of a group are in which status.
fn draw_counts(frame: &mut Frame<'_>, theme: Theme, line: Rect, members: &[&Agent]) {
    let text = format!(" {}", counted(members.len(), "agent", "agents"));
    let mut rest = after(line, put(frame.buffer_mut(), line, &text, Style::new()));
    for status in Status::ALL {
        let count = members.iter().filter(|agent| agent.status == status).count();
        if count > 0 {
            let text = format!(" · {count} {}", status.word());
            rest = after(rest, put(frame.buffer_mut(), rest, &text, theme.status(status)));
        }
    }
}

fn draw_start(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, area: Rect) {
    let mut rest = without_lines(area, 1);
    for action in [Do::Spawn, Do::Help, Do::Palette, Do::Quit] {
        let key = format!(" {:<KEY_WIDTH$}", state.key_text(action));
        let line = line_of(rest, 0);
        let used = put(frame.buffer_mut(), line, &key, theme.accent());
        put(frame.buffer_mut(), after(line, used), action.description(), Style::new());
        rest = without_lines(rest, 1);
    }
    rest = without_lines(rest, 1);
    for (command, what) in COMMANDS {
        let lines = wrapped(command, area.width.saturating_sub(2).into());
        let styled = lines.iter().map(|line| (line.as_str(), theme.accent()));
        for (text, style) in styled.chain([(what, theme.dim()), ("", Style::new())]) {
            put(frame.buffer_mut(), line_of(rest, 0), &format!(" {text}"), style);
            rest = without_lines(rest, 1);
        }
    }
}
