//! Free texts: titles, and prompts that are typed into a terminal.

use std::fmt;
use std::str::FromStr;

use crate::base::sanitize::is_deceptive;

/// A title of an agent: one line, no control characters, at most 200 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// Makes a title from any text, or returns `None` if nothing is left.
    pub fn clean(text: &str) -> Option<Title> {
        let line: String = text.chars().map(|c| if is_deceptive(c) { ' ' } else { c }).take(200).collect();
        let line = line.trim();
        (!line.is_empty()).then(|| Title(line.to_owned()))
    }
}

impl From<Title> for String {
    fn from(title: Title) -> String {
        title.0
    }
}

/// A text that can be typed into a terminal without being interpreted as keys.
///
/// Line ends are `
/// `; trailing line ends are dropped, because Enter is sent separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt(String);

/// Reason why a text cannot be typed into a terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsendable {
    /// The text is empty.
    #[error("the text is empty")]
    Empty,
    /// The text contains a control character, which a terminal would interpret as a key.
    #[error("line {line} contains the control character U+{code:04X}, which a terminal interprets as a key")]
    Control {
        /// Number of the line, starting at 1.
        line: usize,
        /// Code point of the character.
        code: u32,
    },
}

impl Prompt {
    /// Returns the text as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.0.split('\n').count()
    }

    /// Returns the length of the longest line in bytes.
    pub fn longest_line(&self) -> usize {
        self.0.split('\n').map(str::len).max().unwrap_or(0)
    }
}

impl FromStr for Prompt {
    type Err = Unsendable;

    fn from_str(text: &str) -> Result<Self, Unsendable> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim_end_matches('\n');
        if text.trim().is_empty() {
            return Err(Unsendable::Empty);
        }
        for (at, line) in text.split('\n').enumerate() {
            if let Some(bad) = line.chars().find(|c| c.is_control() && *c != '\t') {
                return Err(Unsendable::Control { line: at + 1, code: bad as u32 });
            }
        }
        Ok(Prompt(text.to_owned()))
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_that_would_press_keys_is_refused() {
        for (text, why) in [
            ("", Unsendable::Empty),
            (" \n\n", Unsendable::Empty),
            ("a\u{1b}[201~rm", Unsendable::Control { line: 1, code: 0x1b }),
            ("a\nb\u{3}", Unsendable::Control { line: 2, code: 3 }),
            ("a\rb", Unsendable::Control { line: 1, code: 13 }),
            ("a\0", Unsendable::Control { line: 1, code: 0 }),
            ("a\u{9b}201~", Unsendable::Control { line: 1, code: 0x9b }),
        ] {
            assert_eq!(text.parse::<Prompt>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn a_title_cannot_fake_a_line() {
        let title = Title::clean("done \u{202e}gnp.exe\u{200b}\u{1b}[2J").map(String::from);
        assert_eq!(title.as_deref(), Some("done  gnp.exe  [2J"));
    }

    #[test]
    fn a_prompt_keeps_its_lines() {
        let prompt: Prompt = "eins\r\nzwei\tx\n\ndrei\n\n".parse().unwrap();
        assert_eq!(prompt.as_str(), "eins\nzwei\tx\n\ndrei");
        assert_eq!((prompt.line_count(), prompt.longest_line()), (4, 6));
    }

    proptest! {
        #[test]
        fn a_title_is_one_clean_line(text in any::<String>()) {
            if let Some(title) = Title::clean(&text) {
                prop_assert!(!title.0.chars().any(char::is_control));
                prop_assert!(!title.0.is_empty());
            }
        }

        #[test]
        fn a_prompt_contains_no_control_keys(text in any::<String>()) {
            if let Ok(prompt) = text.parse::<Prompt>() {
                prop_assert!(!prompt.0.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            }
        }
    }
}
