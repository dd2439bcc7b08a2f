//! The bottom of the screen as lines, independent of how they are drawn. Pure.

use std::time::Duration;

use unicode_width::UnicodeWidthChar;

/// The content of the bottom of the screen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DemoView {
    /// The line of the answer that is still growing.
    pub live: String,
    /// A spinner or a question.
    pub status: Option<String>,
    /// Prompts that wait for the end of the turn.
    pub queued: Vec<String>,
    /// The part that receives the keys.
    pub body: ViewBody,
    /// A short hint below the body.
    pub hint: &'static str,
    /// Whether the conversation is still empty.
    pub fresh: bool,
}

/// The part of the screen that receives the keys.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ViewBody {
    /// An input line with this text.
    Composer(String),
    /// A dialog about this command.
    Approval(String),
}

impl Default for ViewBody {
    fn default() -> ViewBody {
        ViewBody::Composer(String::new())
    }
}

/// Lines that fit the screen, with the position of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The lines, each at most as wide as the screen.
    pub lines: Vec<String>,
    /// Dimmed text after the cursor.
    pub placeholder: &'static str,
    /// The line and column of the cursor.
    pub cursor: (usize, usize),
}

/// Returns the frame of the spinner after this working time.
pub(super) fn spinner(worked: Duration) -> String {
    let frames = ['·', '✢', '*', '✶', '✻', '✽'];
    let frame = frames[(worked.as_millis() / 250) as usize % frames.len()];
    format!("{frame} Thinking… ({}s · esc to interrupt)", worked.as_secs())
}

impl DemoView {
    /// Renders the view for a screen of this size.
    pub(super) fn block(&self, (columns, rows): (usize, usize)) -> Block {
        let width = columns.max(4) - 1;
        let rule = "─".repeat(width);
        let mut lines = wrap(&self.live, width);
        if !self.live.is_empty() {
            lines.drain(..lines.len().saturating_sub(rows / 2));
        } else {
            lines.clear();
        }
        lines.push(String::new());
        lines.extend(self.status.iter().map(|text| text.replace('\n', " ")));
        lines.extend(self.queued.iter().map(|text| format!("  queued: {}", text.replace('\n', " "))));
        lines.push(rule.clone());
        let mut placeholder = "";
        let cursor = match &self.body {
            ViewBody::Composer(text) => {
                let mut written = wrap(text, width - 2);
                // A composer that is taller than the screen could not be redrawn.
                written.drain(..written.len().saturating_sub(rows.saturating_sub(7).max(1)));
                let column = written.last().map_or(0, |line| columns_of(line)) + 2;
                let marks = std::iter::once("❯ ").chain(std::iter::repeat("  "));
                lines.extend(marks.zip(&written).map(|(mark, line)| format!("{mark}{line}")));
                if text.is_empty() && self.fresh {
                    placeholder = "Try \"/help\"";
                }
                let at = (lines.len() - 1, column);
                lines.push(rule);
                lines.push(format!("  {}", self.hint));
                at
            }
            ViewBody::Approval(command) => {
                lines.push(" Bash command".to_owned());
                lines.push(String::new());
                lines.extend(
                    wrap(command, width - 3).into_iter().take(rows / 2).map(|line| format!("   {line}")),
                );
                lines.push(String::new());
                lines.extend([" Do you want to proceed?", " ❯ 1. Yes", "   2. No"].map(str::to_owned));
                lines.push(String::new());
                lines.push(" Esc to cancel".to_owned());
                (lines.len() - 4, 1)
            }
        };
        let lines = lines.iter().map(|line| cut(line, width)).collect();
        Block { lines, placeholder, cursor }
    }
}

/// Replaces all control characters that a terminal would interpret.
pub(super) fn sanitize(text: &str) -> String {
    let text = text.replace('\t', "    ");
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn columns_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in sanitize(text).split('\n') {
        let (mut row, mut used) = (String::new(), 0);
        for c in line.chars() {
            let wide = c.width().unwrap_or(0);
            if used + wide > width {
                lines.push(std::mem::take(&mut row));
                used = 0;
            }
            row.push(c);
            used += wide;
        }
        lines.push(row);
    }
    lines
}

fn cut(text: &str, width: usize) -> String {
    wrap(text, width).swap_remove(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn draft_is_drawn_between_two_rules() {
        let view =
            DemoView { body: ViewBody::Composer("one\ntwo".into()), hint: "hint", ..DemoView::default() };
        let block = view.block((9, 24));
        assert_eq!(block.lines, ["", "────────", "❯ one", "  two", "────────", "  hint"]);
        assert_eq!(block.cursor, (3, 5));
    }

    proptest! {
        #[test]
        fn every_line_fits_any_screen(text in any::<String>(), columns in 1usize..120, rows in 1usize..60) {
            for body in [ViewBody::Composer(text.clone()), ViewBody::Approval(text.clone())] {
                let view = DemoView { live: text.clone(), status: Some(text.clone()), body, ..DemoView::default() };
                let block = view.block((columns.max(4), rows));
                for line in &block.lines {
                    prop_assert!(columns_of(line) < columns.max(4), "{line}");
                    prop_assert!(!line.chars().any(char::is_control));
                }
                prop_assert!(block.cursor.0 < block.lines.len());
            }
        }
    }
}
