//! A text that the user edits, of one or several lines.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::base::key_press::{KeyName, KeyPress, NamedKey};

/// Text with a cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextInput {
    text: String,
    /// Byte offset of the cursor, always at the start of a character.
    cursor: usize,
}

impl TextInput {
    /// Creates an input with the cursor at the end of the text.
    pub(crate) fn with(text: &str) -> TextInput {
        TextInput { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the column and line of the cursor, in cells of the terminal.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        let before = &self.text[..self.cursor];
        let line = before.rsplit('\n').next().unwrap_or_default();
        (line.width(), before.matches('\n').count())
    }

    /// Inserts text at the cursor. Control characters except line ends are left out.
    pub(crate) fn insert(&mut self, text: &str) {
        let clean: String = text
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .chars()
            .filter(|c| !c.is_control() || *c == '\n')
            .collect();
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
    }

    /// Applies a key that edits text. Returns `false` for all other keys.
    pub(crate) fn press(&mut self, press: KeyPress) -> bool {
        match (press.key, press.ctrl || press.alt) {
            (KeyName::Char(c), false) => self.insert(&c.to_string()),
            (KeyName::Named(NamedKey::Backspace), false) => self.erase_to(self.previous()),
            (KeyName::Named(NamedKey::Delete), _) => {
                let next = self.next();
                self.text.replace_range(self.cursor..next, "");
            }
            (KeyName::Named(NamedKey::Left), false) => self.cursor = self.previous(),
            (KeyName::Named(NamedKey::Right), false) => self.cursor = self.next(),
            (KeyName::Named(NamedKey::Home), _) | (KeyName::Char('a'), true) => {
                self.cursor = self.line_start()
            }
            (KeyName::Named(NamedKey::End), _) => self.cursor = self.line_end(),
            (KeyName::Char('u'), true) => self.erase_to(self.line_start()),
            (KeyName::Char('w'), true) | (KeyName::Named(NamedKey::Backspace), true) => {
                self.erase_to(self.word_start());
            }
            (KeyName::Char('j'), true) | (KeyName::Named(NamedKey::Enter), true) => self.insert("\n"),
            _ => return false,
        }
        true
    }

    fn erase_to(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn previous(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn next(&self) -> usize {
        self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len)
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_start(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_text_with_wide_characters() {
        let mut input = TextInput::with("fix 日本");
        assert_eq!(input.cursor(), (8, 0));
        input.press(KeyPress::named(NamedKey::Backspace));
        assert_eq!((input.text(), input.cursor()), ("fix 日", (6, 0)));
        input.press(KeyPress::ctrl('w'));
        assert_eq!(input.text(), "fix ");
        input.insert("a\r\nb\u{1b}[2J");
        assert_eq!((input.text(), input.cursor()), ("fix a\nb[2J", (4, 1)));
        input.press(KeyPress::ctrl('u'));
        assert_eq!(input.text(), "fix a\n");
        assert!(!input.press(KeyPress::named(NamedKey::Escape)));
        let mut input = TextInput::with("👩‍🚀");
        input.press(KeyPress::named(NamedKey::Backspace));
        assert_eq!(input.text(), "", "an emoji of several characters is erased as a whole");
    }
}
