//! Fits text into a number of columns and replaces characters that must not reach a terminal.

use unicode_width::UnicodeWidthStr;

use crate::model::is_deceptive;

/// Replaces control characters and deceptive characters: a directory or a branch can have any name.
pub fn clean(text: &str) -> String {
    match is_printable_ascii(text) {
        true => text.to_owned(),
        false => text.replace(is_deceptive, " "),
    }
}

/// Returns whether a text has only printable ASCII characters. Each of them takes one column and is safe to show, so the
/// tables of Unicode are not needed.
pub fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns the number of columns that a text takes.
pub fn display_width(text: &str) -> usize {
    if is_printable_ascii(text) { text.len() } else { text.width() }
}

/// Replaces the user's home directory in a path by `~`.
pub fn below_home(dir: &str, user_home: Option<&str>) -> String {
    match user_home.and_then(|home| dir.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => dir.to_owned(),
    }
}

/// The part of a text that is kept when it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// For a command or a sentence.
    Beginning,
    /// For a path.
    End,
}

/// Cuts a text to a number of columns and marks the cut with `…`.
pub fn cut(text: &str, columns: usize, keep: Keep) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    if is_printable_ascii(text) {
        let kept = columns.saturating_sub(1);
        return match keep {
            Keep::Beginning => format!("{}…", &text[..kept]),
            Keep::End => format!("…{}", &text[text.len() - kept..]),
        };
    }
    // Characters can combine into wider or narrower ones, so only the complete text has a reliable width.
    let fits = |text: &String| text.width() <= columns;
    let steps = text.char_indices().map(|(at, _)| at);
    let cut = if keep == Keep::End {
        steps.rev().map(|at| format!("…{}", &text[at..])).take_while(fits).last()
    } else {
        steps.map(|at| format!("{}…", &text[..at])).take_while(fits).last()
    };
    cut.unwrap_or_else(|| "…".to_owned())
}

/// Breaks text into lines of at most `width` columns, at spaces if possible.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut current = String::new();
        for word in line.split_inclusive(' ') {
            if current.width() + word.trim_end().width() > width && !current.is_empty() {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
            }
            for c in word.chars() {
                if format!("{current}{c}").width() > width {
                    lines.push(std::mem::take(&mut current).trim_end().to_owned());
                    // The end of the line stands for a space.
                    if c == ' ' {
                        continue;
                    }
                }
                current.push(c);
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shortening_keeps_the_end_of_a_path_and_the_beginning_of_a_text() {
        assert_eq!(cut("/home/account/src/api", 8, Keep::End), "…src/api");
        assert_eq!(cut("fix the login bug", 8, Keep::Beginning), "fix the…");
        assert_eq!(cut("日本語日本語", 6, Keep::Beginning), "日本…");
        assert_eq!(cut(&format!("/{}", "❤\u{fe0f}".repeat(9)), 6, Keep::End).width(), 5);
    }

    proptest! {
        #[test]
        fn shortened_text_fits(text in any::<String>(), columns in 1usize..90) {
            for keep in [Keep::Beginning, Keep::End] {
                prop_assert!(cut(&clean(&text), columns, keep).width() <= columns);
            }
        }

        #[test]
        fn shortened_ascii_text_fills_all_columns(text in "[ -~]{0,90}", columns in 1usize..90) {
            for keep in [Keep::Beginning, Keep::End] {
                prop_assert_eq!(cut(&text, columns, keep).width(), columns.min(text.len()));
            }
        }
    }

    #[test]
    fn lines_break_at_spaces_and_within_long_words() {
        assert_eq!(wrapped("fix the login bug", 8), ["fix the", "login", "bug"]);
        assert_eq!(wrapped("a page down", 6), ["a page", "down"], "a line does not begin with a space");
        assert_eq!(wrapped("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrapped("a\n\nb", 8), ["a", "", "b"]);
    }
}
