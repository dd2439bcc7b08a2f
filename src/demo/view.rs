//! The bottom of the screen as lines: what is drawn, not how. Pure.

use std::time::Duration;

use unicode_width::UnicodeWidthChar;

/// What the bottom of the screen shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The line of the answer that is still growing.
    pub live: String,
    /// A spinner, or a question.
    pub status: Option<String>,
    /// Prompts that wait for their turn.
    pub queued: Vec<String>,
    /// What takes keys.
    pub body: Body,
    /// A word below it.
    pub hint: &'static str,
    /// Whether nothing has been said yet.
    pub fresh: bool,
}

/// What takes keys.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// A composer with this text.
    Composer(String),
    /// A dialog about this command.
    Approval(String),
}

impl Default for Body {
    fn default() -> Body {
        Body::Composer(String::new())
    }
}

/// Lines that fit the screen, and where the cursor stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The lines, each no wider than the screen.
    pub lines: Vec<String>,
    /// What stands dimly after the cursor.
    pub placeholder: &'static str,
    /// The cursor's line, and its column.
    pub cursor: (usize, usize),
}

/// The spinner after so much work.
pub(super) fn spinner(worked: Duration) -> String {
    let frames = ['·', '✢', '*', '✶', '✻', '✽'];
    let frame = frames[(worked.as_millis() / 250) as usize % frames.len()];
    format!("{frame} Thinking… ({}s · esc to interrupt)", worked.as_secs())
}

impl View {
    /// The view as lines for a screen of so many columns and rows.
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
            Body::Composer(text) => {
                let mut written = wrap(text, width - 2);
                // A composer taller than the screen could not be redrawn.
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
            Body::Approval(command) => {
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

/// A text without anything a terminal would take for a command.
pub(super) fn harmless(text: &str) -> String {
    let text = text.replace('\t', "    ");
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn columns_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in harmless(text).split('\n') {
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
    fn a_draft_stands_between_two_rules() {
        let view = View { body: Body::Composer("one\ntwo".into()), hint: "hint", ..View::default() };
        let block = view.block((9, 24));
        assert_eq!(block.lines, ["", "────────", "❯ one", "  two", "────────", "  hint"]);
        assert_eq!(block.cursor, (3, 5));
    }

    proptest! {
        #[test]
        fn every_line_fits_any_screen(text in any::<String>(), columns in 1usize..120, rows in 1usize..60) {
            for body in [Body::Composer(text.clone()), Body::Approval(text.clone())] {
                let view = View { live: text.clone(), status: Some(text.clone()), body, ..View::default() };
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
