//! Makes untrusted text safe to show on a terminal, and words safe for a shell.

use std::ffi::OsStr;

/// Returns whether a character would move, hide or reorder the characters beside it on a terminal.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Returns a text that is safe for a terminal: characters that would move, hide or reorder other characters are
/// replaced by spaces, except line ends and tabs.
pub fn without_deception(text: &str) -> String {
    text.replace(|c| is_deceptive(c) && c != '\n' && c != '\t', " ")
}

/// Returns a path or a name as one word for a shell, in quotes if it needs them.
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref().to_string_lossy();
    // Only a zero byte cannot be quoted, and neither a path nor the name of a branch has one.
    shlex::try_quote(&text).map_or_else(|_| text.clone().into_owned(), String::from)
}

/// Sanitizes and shortens user input for a line of a message.
pub fn shown(text: &str) -> String {
    let clean: String = text.chars().map(|c| if is_deceptive(c) { '\u{fffd}' } else { c }).take(81).collect();
    if clean.chars().count() > 80 { clean.chars().take(79).chain(['…']).collect() } else { clean }
}

/// Returns whether a character is invisible or looks like another one. A text that the user approves must not contain
/// such characters unescaped.
fn is_unseen(c: char) -> bool {
    let is_odd_blank = c.is_whitespace() && c != ' ';
    is_deceptive(c)
        || is_odd_blank
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
                ..='\u{180e}'
        )
        || matches!(c, '\u{200c}' | '\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the lines of a text, with invisible characters written as `<U+XXXX>`.
pub fn visible(text: &str) -> Vec<String> {
    let spelt = |line: &str| {
        line.chars().fold(String::new(), |mut line, c| {
            match is_unseen(c) {
                true => line.push_str(&format!("<U+{:04X}>", c as u32)),
                false => line.push(c),
            }
            line
        })
    };
    text.split('\n').map(spelt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(shell_word("feature/a-1"), "feature/a-1");
        for text in ["a;b", "it's", "$(rm)", "my repo", "a`b`", "(x)"] {
            assert_eq!(shlex::split(&shell_word(std::path::Path::new(text))), Some(vec![text.to_owned()]));
        }
    }

    #[test]
    fn hostile_input_does_not_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(shown(&"x".repeat(300)).chars().count(), 80);
    }

    #[test]
    fn marks_that_reorder_text_or_end_a_line_are_replaced() {
        for mark in ['\u{61c}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202e}', '\u{2066}'] {
            assert_eq!(without_deception(&format!("a{mark}b")), "a b", "{mark:?}");
        }
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let text = "rm a\u{202e}b\nc\u{1b}[2K\td\u{200b}\r\u{e0041}é ü";
        assert_eq!(visible(text), ["rm a<U+202E>b", "c<U+001B>[2K<U+0009>d<U+200B><U+000D><U+E0041>é ü"]);
    }
}
