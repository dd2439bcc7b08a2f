//! The input line: editing and display. Pure, without access to a terminal.

use super::keys::Key;

/// Maximum lines and characters of a paste that is shown in full. A larger paste is shown as a placeholder.
const LONGEST_SHOWN: (usize, usize) = (3, 800);

/// The content of the input line.
#[derive(Debug, Default)]
pub(super) struct Composer {
    pieces: Vec<Piece>,
    pastes: usize,
}

#[derive(Debug)]
enum Piece {
    Typed(String),
    Pasted { number: usize, text: String },
}

impl Composer {
    /// Processes an editing key. Returns the text if the key submits it.
    pub(super) fn key(&mut self, key: &Key) -> Option<String> {
        match key {
            Key::Char(c) if !c.is_control() => self.typed().push(*c),
            Key::Paste(text) => self.paste(text),
            Key::Backspace => self.backspace(),
            Key::CtrlU => self.clear(),
            Key::Enter if !self.text().trim().is_empty() => {
                let text = self.text();
                self.clear();
                return Some(text);
            }
            _ => {}
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Returns the complete text.
    pub(super) fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Typed(text) | Piece::Pasted { text, .. } => text.as_str(),
            })
            .collect()
    }

    /// Returns the text as it is displayed.
    pub(super) fn shown(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Typed(text) => text.clone(),
                Piece::Pasted { number, text } => match text.matches('\n').count() {
                    0 => format!("[Pasted text #{number}]"),
                    more => format!("[Pasted text #{number} +{more} lines]"),
                },
            })
            .collect()
    }

    fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        if text.matches('\n').count() >= LONGEST_SHOWN.0 || text.chars().count() > LONGEST_SHOWN.1 {
            self.pastes += 1;
            self.pieces.push(Piece::Pasted { number: self.pastes, text });
        } else if !text.is_empty() {
            self.typed().push_str(&text);
        }
    }

    fn backspace(&mut self) {
        if let Some(Piece::Typed(text)) = self.pieces.last_mut() {
            text.pop();
            if !text.is_empty() {
                return;
            }
        }
        self.pieces.pop();
    }

    fn typed(&mut self) -> &mut String {
        if !matches!(self.pieces.last(), Some(Piece::Typed(_))) {
            self.pieces.push(Piece::Typed(String::new()));
        }
        match self.pieces.last_mut() {
            Some(Piece::Typed(text)) => text,
            _ => unreachable!("a typed piece was just pushed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(composer: &mut Composer, text: &str) {
        for c in text.chars() {
            assert_eq!(composer.key(&Key::Char(c)), None);
        }
    }

    #[test]
    fn what_is_typed_is_submitted_and_gone() {
        let mut composer = Composer::default();
        assert_eq!(composer.key(&Key::Enter), None);
        write(&mut composer, "grüß Gotz");
        composer.key(&Key::Backspace);
        write(&mut composer, "t");
        assert_eq!(composer.shown(), "grüß Gott");
        assert_eq!(composer.key(&Key::Enter).as_deref(), Some("grüß Gott"));
        assert!(composer.is_empty());
    }

    #[test]
    fn a_short_paste_is_shown_and_a_long_one_is_noted() {
        let mut composer = Composer::default();
        composer.key(&Key::Paste("one\r\ntwo\rthree".into()));
        assert_eq!(composer.shown(), "one\ntwo\nthree");
        composer.key(&Key::Paste("\n".repeat(12)));
        composer.key(&Key::Paste("x".repeat(801)));
        assert_eq!(composer.shown(), "one\ntwo\nthree[Pasted text #1 +12 lines][Pasted text #2]");
        composer.key(&Key::Backspace);
        composer.key(&Key::Backspace);
        composer.key(&Key::Backspace);
        assert_eq!(composer.text(), "one\ntwo\nthre");
        composer.key(&Key::CtrlU);
        assert!(composer.is_empty());
        composer.key(&Key::Backspace);
    }

    #[test]
    fn keys_inside_a_paste_are_dropped() {
        let mut composer = Composer::default();
        composer.key(&Key::Paste("a\u{3}b\u{1b}c\td".into()));
        assert_eq!(composer.text(), "abc\td");
    }

    proptest! {
        #[test]
        fn a_paste_arrives_to_the_letter(text in "[^\\p{Cc}]{1,30}(\n[^\\p{Cc}]{0,30}){0,8}") {
            prop_assume!(!text.trim().is_empty());
            let mut composer = Composer::default();
            composer.key(&Key::Paste(text.clone()));
            prop_assert_eq!(composer.key(&Key::Enter), Some(text));
        }
    }
}
