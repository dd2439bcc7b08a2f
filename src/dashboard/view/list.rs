//! The list of agents.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::columns::{content, heading, name, whole_task};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::rows::{AgentRow, GroupRow, ListRow};
use crate::dashboard::view::columns::{COLUMN_GAP, SizedColumn, fitted_columns};
use crate::dashboard::view::text::{after, cells_of, cut_wide_characters, first_columns, line_of, put};
use crate::dashboard::view::theme::{Theme, shape};
use crate::model::{DashboardAction, DashboardColumn};
use crate::text::fit::{below_home, display_width};

/// Columns before the first column of the table: mark, status shape and a space.
const PREFIX_WIDTH: u16 = 4;

/// Width of the text of a task from which on it is shown.
const MIN_TASK_TEXT_WIDTH: usize = 8;

/// Draws the visible rows.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().list;
    if state.rows.is_empty() {
        return draw_empty(frame, state, theme);
    }
    let columns = fitted_columns(state, area.width.saturating_sub(PREFIX_WIDTH).into());
    draw_headings(frame, state, theme, &columns);
    let visible = state.rows.iter().enumerate().skip(state.offset).take(area.height.into());
    let mut selected = Rect::default();
    for (line, (at, row)) in visible.enumerate() {
        let rect = line_of(area, u16::try_from(line).unwrap_or(u16::MAX));
        match row {
            ListRow::Group(row) => draw_group(frame, rect, row, (state, theme)),
            ListRow::Agent(row) => draw_agent(frame, rect, row, (state, theme, &columns)),
        }
        if at == state.selected {
            brighten(frame.buffer_mut(), rect, theme);
            selected = rect;
        }
    }
    let below = state.rows.len().saturating_sub(state.offset + usize::from(area.height));
    draw_hidden(frame, theme, line_of(area, 0), ("↑", state.offset));
    draw_hidden(frame, theme, line_of(area, area.height.saturating_sub(1)), ("↓", below));
    frame.buffer_mut().set_style(selected, theme.selected());
}

/// Gives text of less importance the usual colour, because it is hard to read on the background of the selected row.
fn brighten(buffer: &mut Buffer, row: Rect, theme: Theme) {
    let dim = theme.dim();
    for cell in cells_of(buffer, row) {
        cell.modifier.remove(dim.add_modifier);
        if Some(cell.fg) == dim.fg {
            cell.fg = Color::Reset;
        }
    }
}

/// Draws the names of the columns.
fn draw_headings(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme, columns: &[SizedColumn]) {
    let mut rest = after(state.areas().headings, PREFIX_WIDTH);
    for (column, width) in columns {
        put(frame.buffer_mut(), first_columns(rest, *width), heading(*column), theme.dim());
        rest = after(rest, u16::try_from(width + COLUMN_GAP).unwrap_or(u16::MAX));
    }
}

/// Draws at the end of a line how many rows are hidden beyond it.
fn draw_hidden(frame: &mut Frame<'_>, theme: Theme, line: Rect, (arrow, rows): (&str, usize)) {
    let text = format!(" {arrow}{rows} ");
    let width = u16::try_from(text.width()).unwrap_or(u16::MAX);
    if let Some(gap) = line.width.checked_sub(width).filter(|_| rows > 0) {
        let place = after(line, gap);
        cut_wide_characters(frame.buffer_mut(), place);
        put(frame.buffer_mut(), place, &text, theme.accent());
    }
}

fn draw_empty(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let text = match (state.is_loaded, state.agents.len()) {
        (false, _) => "  reading agents…".to_owned(),
        (true, 0) => format!("  no agents yet; `{}` starts one", state.key_text(DashboardAction::Spawn)),
        (true, _) => "  no agent matches; Escape removes the filter, v shows more".to_owned(),
    };
    put(frame.buffer_mut(), line_of(state.areas().list, 1), &text, theme.dim());
}

fn draw_group(frame: &mut Frame<'_>, rect: Rect, row: &GroupRow, (state, theme): (&DashboardState, Theme)) {
    let arrow = if row.is_folded { "▸" } else { "▾" };
    let title = below_home(&row.title, state.user_home.as_deref());
    let used = put(frame.buffer_mut(), rect, &format!("{arrow} {title}"), theme.accent());
    let rest = after(rect, used);
    let used = put(frame.buffer_mut(), rest, &format!("  {}", row.agents), theme.dim());
    if row.needing_you > 0 {
        let text = format!("  {} ?", row.needing_you);
        put(frame.buffer_mut(), after(rest, used), &text, theme.attention());
    }
}

fn draw_agent(
    frame: &mut Frame<'_>,
    rect: Rect,
    row: &AgentRow,
    (state, theme, columns): (&DashboardState, Theme, &[SizedColumn]),
) {
    let agent = &state.agents[row.index];
    let status_style = if state.stale(agent).is_some() { theme.dim() } else { theme.status(agent.status) };
    let mark = if state.marks.contains(&row.key) { "*" } else { " " };
    put(frame.buffer_mut(), rect, mark, theme.attention());
    put(frame.buffer_mut(), after(rect, 2), shape(agent.status), status_style);
    let mut rest = after(rect, PREFIX_WIDTH);
    for (column, width) in columns {
        let text = match column {
            DashboardColumn::Name => tree_name(row, &name(agent)),
            DashboardColumn::Task => {
                let short = content(state, agent, *column);
                // A few letters of the text would say nothing.
                match display_width(&short) + MIN_TASK_TEXT_WIDTH <= *width {
                    true => whole_task(agent),
                    false => short,
                }
            }
            other => content(state, agent, *other),
        };
        let style = match column {
            DashboardColumn::Status => status_style,
            DashboardColumn::Activity if agent.question.is_some() => theme.attention(),
            DashboardColumn::Name => Style::new(),
            _ => theme.dim(),
        };
        put(frame.buffer_mut(), first_columns(rest, *width), &text, style);
        rest = after(rest, u16::try_from(width + COLUMN_GAP).unwrap_or(u16::MAX));
    }
}

/// Returns the name of an agent, indented below its parent, with the number of its folded descendants.
fn tree_name(row: &AgentRow, name: &str) -> String {
    let indent = match row.depth {
        0 => String::new(),
        depth => format!("{}└ ", "  ".repeat(depth - 1)),
    };
    match (row.is_folded, row.below) {
        (true, below @ 1..) => format!("{indent}{name} +{below}"),
        _ => format!("{indent}{name}"),
    }
}
