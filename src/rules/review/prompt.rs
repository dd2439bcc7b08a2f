//! The prompt that brings comments to an agent. Each point begins with the number of its comment, so the agent can
//! resolve it by its number.

use crate::base::sanitize::is_deceptive;
use crate::model::{CommentPlacement, DiffSide, PlacedComment};

/// Maximum number of lines of a snippet in the prompt. The agent can read the rest in the file.
const MAX_SNIPPET_LINES: usize = 20;

/// Maximum length of a line of a snippet in characters.
const MAX_SNIPPET_CHARS: usize = 200;

/// The first paragraph.
const INTRODUCTION: &str = "\
Review comments on your changes. Handle every point, and then mark it as done: call the MCP tool \
`resolve_review_comment` with its number, if you have that tool.";

/// Returns one prompt with all comments.
pub fn prompt(comments: &[PlacedComment]) -> String {
    let points = comments.iter().map(point);
    std::iter::once(INTRODUCTION.to_owned()).chain(points).collect::<Vec<_>>().join("\n\n")
}

fn point(placed: &PlacedComment) -> String {
    let comment = &placed.comment;
    let lines = placed.current_lines.unwrap_or(comment.anchor.lines);
    let word = if lines.count() > 1 { "lines" } else { "line" };
    let remark = match (comment.side, placed.placement) {
        (_, CommentPlacement::Outdated) => " (the lines have changed since)",
        (DiffSide::Old, _) => " (before your change)",
        (DiffSide::New, _) => "",
    };
    let title = format!("{}. {}, {word} {lines}{remark}", comment.id, typeable(&placed.current_file));
    let snippet = &comment.anchor.snippet;
    let shown = snippet.iter().take(MAX_SNIPPET_LINES).map(|line| quoted(line));
    let rest = snippet.len().saturating_sub(MAX_SNIPPET_LINES);
    let more = (rest > 0).then(|| format!("> … ({rest} more)"));
    let parts = std::iter::once(title).chain(shown).chain(more).chain([comment.text.clone()]);
    parts.collect::<Vec<_>>().join("\n")
}

fn quoted(line: &str) -> String {
    let cut: String = line.chars().take(MAX_SNIPPET_CHARS).collect();
    let end = if cut.len() < line.len() { "…" } else { "" };
    format!("> {}{end}", typeable(&cut)).trim_end().to_owned()
}

/// Replaces characters that a terminal would interpret as keys, or that hide what they are.
fn typeable(text: &str) -> String {
    text.replace(|c| is_deceptive(c) && c != '\t', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        AnchoredLines, BlobPair, CommentId, CommentState, CommentedDiff, LineRange, Prompt, ReviewComment,
    };

    fn comment(id: u64, file: &str, lines: (u64, u64), snippet: &[&str]) -> PlacedComment {
        PlacedComment {
            comment: ReviewComment {
                id: CommentId(id),
                file: file.to_owned(),
                side: DiffSide::New,
                anchor: AnchoredLines {
                    lines: LineRange { first: lines.0, last: lines.1 },
                    snippet: snippet.iter().map(|line| (*line).to_owned()).collect(),
                    before: vec![],
                    after: vec![],
                },
                text: format!("text of {id}\nsecond line"),
                state: CommentState::Draft,
                diff: CommentedDiff { base: None, blobs: BlobPair::default() },
                created_at: jiff::Timestamp::UNIX_EPOCH,
                sent_at: None,
                resolved_at: None,
                unknown: serde_json::Map::new(),
            },
            placement: CommentPlacement::Current,
            current_file: file.to_owned(),
            current_lines: Some(LineRange { first: lines.0, last: lines.1 }),
        }
    }

    #[test]
    fn every_point_has_number_place_snippet_and_text() {
        let mut old = comment(7, "b", (9, 9), &["gone"]);
        old.comment.side = DiffSide::Old;
        let mut outdated = comment(8, "c", (2, 2), &["changed"]);
        (outdated.placement, outdated.current_lines) = (CommentPlacement::Outdated, None);
        let text = prompt(&[comment(3, "src/a.rs", (4, 5), &["one {", "\ttwo"]), old, outdated]);
        let (_, points) = text.split_once("\n\n").unwrap();
        assert_eq!(
            points,
            "3. src/a.rs, lines 4-5\n> one {\n> \ttwo\ntext of 3\nsecond line\n\n\
             7. b, line 9 (before your change)\n> gone\ntext of 7\nsecond line\n\n\
             8. c, line 2 (the lines have changed since)\n> changed\ntext of 8\nsecond line"
        );
    }

    #[test]
    fn hostile_files_cannot_press_keys_and_long_snippets_are_cut() {
        let wide = "x".repeat(500);
        let many: Vec<&str> = std::iter::repeat_n("line", 30).collect();
        let text = prompt(&[
            comment(1, "a\u{1b}[201~\rb", (1, 1), &["\u{1b}[201~rm\r", &wide, ""]),
            comment(2, "b", (1, 30), &many),
        ]);
        assert!(text.parse::<Prompt>().is_ok(), "{text:?}");
        assert!(text.contains("1. a\u{fffd}[201~\u{fffd}b, line 1\n> \u{fffd}[201~rm\u{fffd}\n"), "{text:?}");
        assert!(text.contains("x…\n>\n"), "{text:?}");
        assert!(text.contains("> line\n> … (10 more)\ntext of 2"), "{text:?}");
    }
}
