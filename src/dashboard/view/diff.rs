//! The changes of an agent: its files, and the lines of the selected one.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::base::plural::counted;
use crate::dashboard::diff::colours::Colouring;
use crate::dashboard::diff::patch::{DiffLine, LineKind};
use crate::dashboard::diff::rows::DiffRow;
use crate::dashboard::diff::screen::{ComparedWork, DiffContent, DiffScreen};
use crate::dashboard::view::text::{after, line_of, padded, put, without_columns};
use crate::dashboard::view::theme::Theme;
use crate::model::{CommentState, FileChange};
use crate::text::fit::{Keep, clean, cut};

/// Width from which on the files are beside the lines.
const FILES_BESIDE_WIDTH: u16 = 90;
/// Columns of the line numbers of one version.
const NUMBER_COLUMNS: usize = 5;

/// Whether the selected rows are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cursor {
    /// In the full screen, where keys move the selection.
    Visible,
    /// In the tab beside the list.
    Hidden,
}

/// Draws the review.
pub(super) fn draw(frame: &mut Frame<'_>, diff: &DiffScreen, theme: Theme, (area, cursor): (Rect, Cursor)) {
    let work = match &diff.content {
        DiffContent::Loading => {
            put(frame.buffer_mut(), area, " comparing…", theme.dim());
            return;
        }
        DiffContent::Failed(why) => {
            put(frame.buffer_mut(), area, &format!(" {why}"), theme.bad());
            return;
        }
        DiffContent::Compared(work) => work,
    };
    put(frame.buffer_mut(), line_of(area, 0), &format!(" {}", title(diff, work)), theme.accent());
    let mut below = skip(area, 1);
    for remark in &work.remarks {
        put(frame.buffer_mut(), line_of(below, 0), &format!(" {remark}"), theme.dim());
        below = skip(below, 1);
    }
    if work.files.is_empty() {
        return;
    }
    let lines = match below.width >= FILES_BESIDE_WIDTH {
        true => {
            let width = (below.width * 3 / 10).clamp(24, 48);
            draw_files(frame, (diff, work), theme, Rect { width, ..below });
            for line in 0..below.height {
                let edge = Rect { x: below.x + width, width: 1, ..line_of(below, line) };
                put(frame.buffer_mut(), edge, "│", theme.dim());
            }
            after(below, width + 1)
        }
        false => {
            let number = format!("{}/{} ", diff.file + 1, work.files.len());
            let used = put(frame.buffer_mut(), line_of(below, 0), &format!(" {number}"), theme.dim());
            if let Some(file) = diff.selected_file() {
                draw_file(frame, (file, work), theme, after(line_of(below, 0), used));
            }
            skip(below, 1)
        }
    };
    draw_rows(frame, diff, theme, (lines, cursor));
}

fn skip(area: Rect, lines: u16) -> Rect {
    let lines = lines.min(area.height);
    Rect { y: area.y + lines, height: area.height - lines, ..area }
}

fn title(diff: &DiffScreen, work: &ComparedWork) -> String {
    if work.files.is_empty() {
        return format!("{}: no changes", diff.target.name);
    }
    let sum = |of: fn(&FileChange) -> Option<u64>| work.files.iter().filter_map(of).sum::<u64>();
    let mut text = format!(
        "{}: {}, +{} -{}",
        diff.target.name,
        counted(work.files.len() as u64, "file", "files"),
        sum(|file| file.added),
        sum(|file| file.removed)
    );
    if !work.reviewed.is_empty() {
        text.push_str(&format!(", {} reviewed", work.reviewed.len()));
    }
    let drafts = diff.drafts();
    if drafts > 0 {
        text.push_str(&format!(", {}", counted(drafts as u64, "draft", "drafts")));
    }
    let is_open = |state: CommentState| state == CommentState::Sent;
    let open = work.comments.iter().filter(|placed| is_open(placed.comment.state)).count();
    if open > 0 {
        text.push_str(&format!(", {} open", counted(open as u64, "comment", "comments")));
    }
    text
}

fn draw_files(frame: &mut Frame<'_>, (diff, work): (&DiffScreen, &ComparedWork), theme: Theme, area: Rect) {
    let first = first_visible(diff.file, work.files.len(), area.height);
    for (at, file) in work.files.iter().enumerate().skip(first).take(area.height.into()) {
        let place = line_of(area, u16::try_from(at - first).unwrap_or(u16::MAX));
        draw_file(frame, (file, work), theme, place);
        if at == diff.file {
            frame.buffer_mut().set_style(place, theme.selected());
        }
    }
}

fn draw_file(frame: &mut Frame<'_>, (file, work): (&FileChange, &ComparedWork), theme: Theme, area: Rect) {
    let mark = if work.reviewed.contains(&file.path) { "✓" } else { " " };
    let used = put(frame.buffer_mut(), area, &format!("{mark}{} ", file.kind.letter()), theme.dim());
    let count = |number: Option<u64>, sign: char| number.map_or("bin".to_owned(), |n| format!("{sign}{n}"));
    let mut rest = after(area, used);
    for (text, style) in
        [(count(file.added, '+'), theme.added_sign()), (count(file.removed, '-'), theme.removed_sign())]
    {
        let used = put(frame.buffer_mut(), rest, &format!("{text:>4} "), style);
        rest = after(rest, used);
    }
    let path = cut(&clean(&file.path), rest.width.into(), Keep::End);
    put(frame.buffer_mut(), rest, &path, Style::new());
}

fn draw_rows(frame: &mut Frame<'_>, diff: &DiffScreen, theme: Theme, (area, cursor): (Rect, Cursor)) {
    let Some(rows) = diff.file_rows() else {
        put(frame.buffer_mut(), area, " …", theme.dim());
        return;
    };
    let first = first_visible(diff.cursor, rows.len(), area.height);
    let selected = diff.selected_rows();
    for (at, row) in rows.iter().enumerate().skip(first).take(area.height.into()) {
        let place = line_of(area, u16::try_from(at - first).unwrap_or(u16::MAX));
        match row {
            DiffRow::Line(line, colouring) => draw_line(frame, (line, colouring), theme, (place, diff.shift)),
            DiffRow::Comment(state, text) => {
                let style = if *state == CommentState::Resolved { theme.dim() } else { theme.attention() };
                put(frame.buffer_mut(), after(place, 2), &format!("┃ {text}"), style);
            }
        }
        if cursor == Cursor::Visible && selected.contains(&at) {
            frame.buffer_mut().set_style(place, theme.selected());
        }
    }
}

fn draw_line(
    frame: &mut Frame<'_>,
    (line, colouring): (&DiffLine, &Colouring),
    theme: Theme,
    (area, shift): (Rect, usize),
) {
    let buffer = frame.buffer_mut();
    if matches!(line.kind, LineKind::Hunk | LineKind::Remark) {
        put(buffer, area, &format!(" {}", line.text), theme.dim());
        return;
    }
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let (old, new) = (number(line.old), number(line.new));
    let numbers = format!("{old:>NUMBER_COLUMNS$} {new:>NUMBER_COLUMNS$} ");
    let used = put(buffer, area, &numbers, theme.dim());
    let (sign, style, sign_style) = match line.kind {
        LineKind::Added => ("+", theme.added(), theme.added_sign()),
        LineKind::Removed => ("-", theme.removed(), theme.removed_sign()),
        _ => (" ", Style::new(), Style::new()),
    };
    let text = after(area, used);
    put(buffer, text, sign, sign_style);
    let text = after(text, 1);
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

/// Returns the index of the first visible row, so that the selected one is in the middle.
fn first_visible(selected: usize, count: usize, height: u16) -> usize {
    let height = usize::from(height);
    selected.saturating_sub(height / 2).min(count.saturating_sub(height))
}
