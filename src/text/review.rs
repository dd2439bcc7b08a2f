//! Review comments as plain text.

use crate::model::{CommentPlacement, DiffSide, PlacedComment};
use crate::text::fit::clean;

/// Number of lines of a snippet that a list shows.
const MAX_SNIPPET_LINES: usize = 6;

/// Returns a comment as lines: number, state and place, then the snippet, then the text.
pub fn comment_lines(placed: &PlacedComment) -> Vec<String> {
    let comment = &placed.comment;
    let mut lines = vec![format!("{} {} {}", comment.id, comment.state.as_str(), place(placed))];
    let snippet = &comment.anchor.snippet;
    lines.extend(snippet.iter().take(MAX_SNIPPET_LINES).map(|line| format!("  > {}", shown(line))));
    let rest = snippet.len().saturating_sub(MAX_SNIPPET_LINES);
    if rest > 0 {
        lines.push(format!("  > … ({rest} more)"));
    }
    lines.extend(comment.text.lines().map(|line| format!("  {}", shown(line))));
    lines
}

/// Returns the file and lines of a comment, with a remark if they are not where they were.
pub fn place(placed: &PlacedComment) -> String {
    let comment = &placed.comment;
    let lines = placed.current_lines.unwrap_or(comment.anchor.lines);
    let mut text = format!("{}:{lines}", clean(&placed.current_file));
    if comment.side == DiffSide::Old {
        text.push_str(" in the base");
    }
    match placed.placement {
        CommentPlacement::Current | CommentPlacement::Unknown => {}
        CommentPlacement::Moved if placed.current_file == comment.file => {
            text.push_str(&format!(" (moved from {})", comment.anchor.lines));
        }
        CommentPlacement::Moved => {
            text.push_str(&format!(" (moved from {}:{})", clean(&comment.file), comment.anchor.lines));
        }
        CommentPlacement::Outdated => text.push_str(" (outdated: the lines have changed)"),
    }
    text
}

fn shown(line: &str) -> String {
    clean(&line.replace('\t', "    "))
}
