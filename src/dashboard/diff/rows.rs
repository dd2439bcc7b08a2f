//! What the screen shows for one file: the lines of its patch, with each comment below the last of its lines.

use std::ops::Range;

use crate::dashboard::diff::colours::{Colouring, coloured};
use crate::dashboard::diff::patch::{DiffLine, LineKind};
use crate::model::{CommentPlacement, CommentState, DiffSide, LineRange, PlacedComment};
use crate::text::review::comment_lines;

/// One row of the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DiffRow {
    Line(DiffLine, Colouring),
    /// One line of a comment.
    Comment(CommentState, String),
}

impl DiffRow {
    /// Returns the line of the patch, if the row is one.
    pub(crate) fn line(&self) -> Option<&DiffLine> {
        match self {
            DiffRow::Line(line, _) => Some(line),
            DiffRow::Comment(..) => None,
        }
    }

    /// Returns whether the row is the head line of a hunk.
    pub(crate) fn is_hunk(&self) -> bool {
        self.line().is_some_and(|line| line.kind == LineKind::Hunk)
    }

    /// Returns whether the row is an added or a removed line.
    pub(crate) fn is_change(&self) -> bool {
        self.line().is_some_and(|line| matches!(line.kind, LineKind::Added | LineKind::Removed))
    }
}

/// Two rows side by side, by their indices: a line of the base and a line of the working tree. A row of another kind,
/// such as a comment, takes both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairedRow {
    pub(crate) left: Option<usize>,
    pub(crate) right: Option<usize>,
}

impl PairedRow {
    /// Returns whether a row is one of the two.
    pub(crate) fn has(self, row: usize) -> bool {
        self.left == Some(row) || self.right == Some(row)
    }
}

/// Arranges rows side by side: removed lines beside the added lines that follow them.
pub(crate) fn paired(rows: &[DiffRow]) -> Vec<PairedRow> {
    let mut pairs: Vec<PairedRow> = Vec::new();
    // Index of the first pair of this block of removed lines that has no added line yet.
    let mut open = 0;
    for (at, row) in rows.iter().enumerate() {
        match row.line().map(|line| line.kind) {
            Some(LineKind::Removed) => pairs.push(PairedRow { left: Some(at), right: None }),
            Some(LineKind::Added) => {
                match pairs.get_mut(open).filter(|pair| pair.right.is_none()) {
                    Some(pair) => pair.right = Some(at),
                    None => pairs.push(PairedRow { left: None, right: Some(at) }),
                }
                open += 1;
            }
            _ => {
                pairs.push(PairedRow { left: Some(at), right: Some(at) });
                open = pairs.len();
            }
        }
    }
    pairs
}

/// Returns the rows of a file, without colours.
pub(crate) fn plain_rows(lines: Vec<DiffLine>, comments: &[PlacedComment]) -> Vec<DiffRow> {
    let mut shown = vec![false; comments.len()];
    let mut rows = Vec::new();
    for line in lines {
        let below: Vec<usize> = (0..comments.len()).filter(|at| ends_at(&comments[*at], &line)).collect();
        rows.push(DiffRow::Line(line, Colouring::new()));
        for at in below {
            if !std::mem::replace(&mut shown[at], true) {
                rows.extend(comment_rows(&comments[at]));
            }
        }
    }
    // Outdated comments, and comments on lines outside of the hunks, come first.
    let others = comments.iter().zip(shown).filter(|(_, is_shown)| !is_shown);
    let mut first: Vec<DiffRow> = others.flat_map(|(placed, _)| placed_above(placed)).collect();
    first.extend(rows);
    first
}

/// Returns the rows of a file with the colours of its language.
pub(crate) fn coloured_rows(path: &str, rows: Vec<DiffRow>) -> Vec<DiffRow> {
    let lines: Vec<&DiffLine> = rows.iter().filter_map(DiffRow::line).collect();
    let mut colours = coloured(path, &lines).into_iter();
    let colour = |row| match row {
        DiffRow::Line(line, _) => DiffRow::Line(line, colours.next().unwrap_or_default()),
        DiffRow::Comment(..) => row,
    };
    rows.into_iter().map(colour).collect()
}

/// Returns whether a line is the last one of a comment.
fn ends_at(placed: &PlacedComment, line: &DiffLine) -> bool {
    let Some(lines) = placed.current_lines.filter(|_| placed.placement != CommentPlacement::Outdated) else {
        return false;
    };
    let number = match placed.comment.side {
        DiffSide::Old => line.old,
        DiffSide::New => line.new,
    };
    number == Some(lines.last)
}

fn comment_rows(placed: &PlacedComment) -> Vec<DiffRow> {
    let comment = &placed.comment;
    let mut texts = comment.text.lines();
    let first = format!("{} {}: {}", comment.id, comment.state.as_str(), texts.next().unwrap_or_default());
    let rest = texts.map(|line| format!("  {line}"));
    std::iter::once(first).chain(rest).map(|text| DiffRow::Comment(comment.state, text)).collect()
}

fn placed_above(placed: &PlacedComment) -> Vec<DiffRow> {
    comment_lines(placed).into_iter().map(|text| DiffRow::Comment(placed.comment.state, text)).collect()
}

/// The lines that a comment in the rows of a file would be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommentedRows {
    pub(crate) side: DiffSide,
    pub(crate) lines: LineRange,
}

/// Returns the lines of a selection: those of the working tree, or those of the base if it has only removed lines.
pub(crate) fn commented(rows: &[DiffRow], selected: Range<usize>) -> Option<CommentedRows> {
    let lines = || rows.get(selected.clone()).into_iter().flatten().filter_map(DiffRow::line);
    let range = |numbers: Vec<u64>| {
        let (first, last) = (numbers.iter().min()?, numbers.iter().max()?);
        Some(LineRange { first: *first, last: *last })
    };
    let new = range(lines().filter_map(|line| line.new).collect());
    let old = || range(lines().filter_map(|line| line.old).collect());
    match new {
        Some(lines) => Some(CommentedRows { side: DiffSide::New, lines }),
        None => old().map(|lines| CommentedRows { side: DiffSide::Old, lines }),
    }
}
