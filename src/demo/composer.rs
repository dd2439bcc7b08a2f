//! The input line: editing and display. Pure, without access to a terminal.

use super::keys::DemoKey;

/// Maximum lines and characters of a paste that is shown in full. A larger paste is shown as a placeholder.
const MAX_INLINE_PASTE: (usize, usize) = (3, 800);

/// The content of the input line.
#[derive(Debug, Default)]
pub(super) struct Composer {
    parts: Vec<DraftPart>,
    pastes: usize,
}

#[derive(Debug)]
enum DraftPart {
    Typed(String),
    Pasted { number: usize, text: String },
}

impl Composer {
    /// Processes an editing key. Returns the text if the key submits it.
    pub(super) fn key(&mut self, key: &DemoKey) -> Option<String> {
        match key {
            DemoKey::Char(c) if !c.is_control() => self.typed().push(*c),
            DemoKey::Paste(text) => self.paste(text),
            DemoKey::Backspace => self.backspace(),
            DemoKey::CtrlU => self.clear(),
            DemoKey::Enter if !self.text().trim().is_empty() => {
                let text = self.text();
                self.clear();
                return Some(text);
            }
            _ => {}
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }

    /// Returns the complete text.
    pub(super) fn text(&self) -> String {
        self.parts
            .iter()
            .map(|piece| match piece {
                DraftPart::Typed(text) | DraftPart::Pasted { text, .. } => text.as_str(),
            })
            .collect()
    }

    /// Returns the text as it is displayed.
    pub(super) fn display_text(&self) -> String {
        self.parts
            .iter()
            .map(|piece| match piece {
                DraftPart::Typed(text) => text.clone(),
                DraftPart::Pasted { number, text } => match text.matches('\n').count() {
                    0 => format!("[Pasted text #{number}]"),
                    more => format!("[Pasted text #{number} +{more} lines]"),
                },
            })
            .collect()
    }

    fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        if text.matches('\n').count() >= MAX_INLINE_PASTE.0 || text.chars().count() > MAX_INLINE_PASTE.1 {
            self.pastes += 1;
            self.parts.push(DraftPart::Pasted { number: self.pastes, text });
        } else if !text.is_empty() {
            self.typed().push_str(&text);
        }
    }

    fn backspace(&mut self) {
        if let Some(DraftPart::Typed(text)) = self.parts.last_mut() {
            text.pop();
            if !text.is_empty() {
                return;
            }
        }
        self.parts.pop();
    }

    fn typed(&mut self) -> &mut String {
        if !matches!(self.parts.last(), Some(DraftPart::Typed(_))) {
            self.parts.push(DraftPart::Typed(String::new()));
        }
        match self.parts.last_mut() {
            Some(DraftPart::Typed(text)) => text,
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
            assert_eq!(composer.key(&DemoKey::Char(c)), None);
        }
    }

    #[test]
    fn typed_text_is_submitted_and_cleared() {
        let mut composer = Composer::default();
        assert_eq!(composer.key(&DemoKey::Enter), None);
        write(&mut composer, "grüß Gotz");
        composer.key(&DemoKey::Backspace);
        write(&mut composer, "t");
        assert_eq!(composer.display_text(), "grüß Gott");
        assert_eq!(composer.key(&DemoKey::Enter).as_deref(), Some("grüß Gott"));
        assert!(composer.is_empty());
    }

    #[test]
    fn a_short_paste_is_shown_and_a_long_one_is_noted() {
        let mut composer = Composer::default();
        composer.key(&DemoKey::Paste("one\r\ntwo\rthree".into()));
        assert_eq!(composer.display_text(), "one\ntwo\nthree");
        composer.key(&DemoKey::Paste("\n".repeat(12)));
        composer.key(&DemoKey::Paste("x".repeat(801)));
        assert_eq!(composer.display_text(), "one\ntwo\nthree[Pasted text #1 +12 lines][Pasted text #2]");
        composer.key(&DemoKey::Backspace);
        composer.key(&DemoKey::Backspace);
        composer.key(&DemoKey::Backspace);
        assert_eq!(composer.text(), "one\ntwo\nthre");
        composer.key(&DemoKey::CtrlU);
        assert!(composer.is_empty());
        composer.key(&DemoKey::Backspace);
    }

    #[test]
    fn keys_inside_a_paste_are_dropped() {
        let mut composer = Composer::default();
        composer.key(&DemoKey::Paste("a\u{3}b\u{1b}c\td".into()));
        assert_eq!(composer.text(), "abc\td");
    }

    proptest! {
        #[test]
        fn a_paste_arrives_to_the_letter(text in "[^\\p{Cc}]{1,30}(\n[^\\p{Cc}]{0,30}){0,8}") {
            prop_assume!(!text.trim().is_empty());
            let mut composer = Composer::default();
            composer.key(&DemoKey::Paste(text.clone()));
            prop_assert_eq!(composer.key(&DemoKey::Enter), Some(text));
        }
    }
}
