//! One line of a patch with its numbers and colours.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::dashboard::diff::colours::Colouring;
use crate::dashboard::diff::patch::{DiffLine, LineKind};
use crate::dashboard::diff::rows::DiffRow;
use crate::dashboard::view::text::{after, padded, put, without_columns};
use crate::dashboard::view::theme::Theme;
use crate::model::CommentState;

/// Columns of the line numbers of one version.
const NUMBER_COLUMNS: usize = 5;

/// Draws a row with the numbers of both versions.
pub(super) fn draw_row(frame: &mut Frame<'_>, row: &DiffRow, theme: Theme, (area, shift): (Rect, usize)) {
    let buffer = frame.buffer_mut();
    match row {
        DiffRow::Line(line, _) if matches!(line.kind, LineKind::Hunk | LineKind::Remark) => {
            put(buffer, area, &format!(" {}", line.text), theme.dim());
        }
        DiffRow::Line(line, colouring) => {
            let numbers = format!("{} {} ", number(line.old), number(line.new));
            let used = put(buffer, area, &numbers, theme.dim());
            draw_text(buffer, (line, colouring), theme, (after(area, used), shift));
        }
        DiffRow::Comment(state, text) => {
            let style = if *state == CommentState::Resolved { theme.dim() } else { theme.attention() };
            put(buffer, after(area, 2), &format!("┃ {text}"), style);
        }
    }
}

/// Draws a line of one version with its number.
pub(super) fn draw_half(
    frame: &mut Frame<'_>,
    (line, colouring, of): (&DiffLine, &Colouring, Option<u64>),
    theme: Theme,
    (area, shift): (Rect, usize),
) {
    let buffer = frame.buffer_mut();
    let used = put(buffer, area, &format!("{} ", number(of)), theme.dim());
    draw_text(buffer, (line, colouring), theme, (after(area, used), shift));
}

fn number(number: Option<u64>) -> String {
    let text = number.map(|number| number.to_string()).unwrap_or_default();
    format!("{text:>NUMBER_COLUMNS$}")
}

/// Draws the sign and the text of a line.
fn draw_text(
    buffer: &mut Buffer,
    (line, colouring): (&DiffLine, &Colouring),
    theme: Theme,
    (area, shift): (Rect, usize),
) {
    let (sign, style, sign_style) = match line.kind {
        LineKind::Added => ("+", theme.added(), theme.added_sign()),
        LineKind::Removed => ("-", theme.removed(), theme.removed_sign()),
        _ => (" ", Style::new(), Style::new()),
    };
    put(buffer, area, sign, sign_style);
    let text = after(area, 1);
    if shift > 0 {
        put(buffer, text, &padded(&without_columns(&line.text, shift), text.width.into()), style);
        return;
    }
    put(buffer, text, &padded(&line.text, text.width.into()), style);
    for (range, token) in colouring {
        let (Some(before), Some(word)) = (line.text.get(..range.start), line.text.get(range.clone())) else {
            continue;
        };
        let columns = u16::try_from(before.width()).unwrap_or(u16::MAX);
        let place = after(text, columns);
        let width = u16::try_from(word.width()).unwrap_or(u16::MAX).min(place.width);
        buffer.set_style(Rect { width, height: place.height.min(1), ..place }, theme.token(*token));
    }
}
