//! Both versions of a file beside each other: the base on the left, the working tree on the right.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::dashboard::diff::patch::LineKind;
use crate::dashboard::diff::rows::{DiffRow, PairedRow, paired};
use crate::dashboard::diff::screen::DiffScreen;
use crate::dashboard::view::diff::{Cursor, first_visible, lines};
use crate::dashboard::view::text::{after, first_columns, line_of, put};
use crate::dashboard::view::theme::Theme;

/// Draws the visible rows.
pub(super) fn draw(frame: &mut Frame<'_>, diff: &DiffScreen, theme: Theme, (area, cursor): (Rect, Cursor)) {
    let Some(rows) = diff.file_rows() else { return };
    let pairs = paired(rows);
    let at = pairs.iter().position(|pair| pair.has(diff.cursor)).unwrap_or(0);
    let first = first_visible(at, pairs.len(), area.height);
    for (line, pair) in pairs.iter().skip(first).take(area.height.into()).enumerate() {
        let place = line_of(area, u16::try_from(line).unwrap_or(u16::MAX));
        draw_pair(frame, (rows, *pair), theme, (place, diff.shift));
        if cursor == Cursor::Visible {
            for (row, half) in [(pair.left, left_half(place)), (pair.right, right_half(place))] {
                if row.is_some_and(|row| diff.selected_rows().contains(&row)) {
                    frame.buffer_mut().set_style(half, theme.selected());
                }
            }
        }
    }
}

fn left_half(area: Rect) -> Rect {
    first_columns(area, usize::from(area.width.saturating_sub(1) / 2))
}

fn right_half(area: Rect) -> Rect {
    after(area, left_half(area).width + 1)
}

fn draw_pair(
    frame: &mut Frame<'_>,
    (rows, pair): (&[DiffRow], PairedRow),
    theme: Theme,
    (area, shift): (Rect, usize),
) {
    let is_whole = pair.left == pair.right;
    if let Some(row) = pair.left.filter(|_| is_whole).and_then(|at| rows.get(at))
        && row.line().is_none_or(|line| line.kind != LineKind::Context)
    {
        return lines::draw_row(frame, row, theme, (area, shift));
    }
    for (row, half) in [(pair.left, left_half(area)), (pair.right, right_half(area))] {
        if let Some(DiffRow::Line(line, colouring)) = row.and_then(|at| rows.get(at)) {
            let number = if half.x == area.x { line.old } else { line.new };
            lines::draw_half(frame, (line, colouring, number), theme, (half, shift));
        }
    }
    put(frame.buffer_mut(), first_columns(after(area, left_half(area).width), 1), "│", theme.dim());
}
