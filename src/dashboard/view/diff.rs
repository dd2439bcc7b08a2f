//! The changes of an agent: its files, and the lines of the selected one.
//!
//! - `lines`: one line of a patch with its numbers and colours
//! - `side_by_side`: both versions beside each other

mod lines;
mod side_by_side;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::counted;
use crate::dashboard::diff::screen::{ComparedWork, DiffContent, DiffExtent, DiffLayout, DiffScreen};
use crate::dashboard::layout::review_areas;
use crate::dashboard::view::text::{after, line_of, put, without_lines};
use crate::dashboard::view::theme::Theme;
use crate::model::{CommentState, FileChange};
use crate::text::fit::{Keep, clean, cut};

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
    let mut below = without_lines(area, 1);
    for remark in &work.remarks {
        put(frame.buffer_mut(), line_of(below, 0), &format!(" {remark}"), theme.dim());
        below = without_lines(below, 1);
    }
    if work.files.is_empty() {
        return;
    }
    let lines = match review_areas(below) {
        Some((files, lines)) => {
            draw_files(frame, (diff, work), theme, files);
            for line in 0..below.height {
                let edge = Rect { x: files.right(), width: 1, ..line_of(below, line) };
                put(frame.buffer_mut(), edge, "│", theme.dim());
            }
            lines
        }
        None => {
            let number = format!("{}/{} ", diff.file + 1, work.files.len());
            let used = put(frame.buffer_mut(), line_of(below, 0), &format!(" {number}"), theme.dim());
            if let Some(file) = diff.selected_file() {
                draw_file(frame, (file, work), theme, after(line_of(below, 0), used));
            }
            without_lines(below, 1)
        }
    };
    draw_rows(frame, diff, theme, (lines, cursor));
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
    if diff.choices.extent == DiffExtent::WholeFile {
        text.push_str(", whole file");
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
    if diff.choices.layout_in(area.width) == DiffLayout::SideBySide {
        return side_by_side::draw(frame, diff, theme, (area, cursor));
    }
    let first = first_visible(diff.cursor, rows.len(), area.height);
    let selected = diff.selected_rows();
    for (at, row) in rows.iter().enumerate().skip(first).take(area.height.into()) {
        let place = line_of(area, u16::try_from(at - first).unwrap_or(u16::MAX));
        lines::draw_row(frame, row, theme, (place, diff.shift));
        if cursor == Cursor::Visible && selected.contains(&at) {
            frame.buffer_mut().set_style(place, theme.selected());
        }
    }
}

/// Returns the index of the first visible row, so that the selected one is in the middle.
fn first_visible(selected: usize, count: usize, height: u16) -> usize {
    let height = usize::from(height);
    selected.saturating_sub(height / 2).min(count.saturating_sub(height))
}
