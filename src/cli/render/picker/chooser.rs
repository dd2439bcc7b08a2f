//! The state of a list from which the user chooses: the filter, the matching lines and the selected line.

/// Help on the keys that work in the list, shown after its title and before the filter.
const KEYS_HELP: &str = "(type to filter, 1-9 to choose, Esc to leave): ";

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyEffect {
    /// The user has not chosen yet.
    Continue,
    /// The line with this index was chosen.
    Choose(usize),
    /// The user cancelled.
    Cancel,
}

/// A list of lines with a filter.
#[derive(Debug)]
pub(super) struct Chooser {
    title: String,
    lines: Vec<String>,
    filter: String,
    /// The position of the selected line among the matching lines.
    selected: usize,
}

impl Chooser {
    pub(super) fn new(title: &str, lines: Vec<String>) -> Chooser {
        Chooser { title: title.to_owned(), lines, filter: String::new(), selected: 0 }
    }

    /// Returns the indices of the lines that contain every word of the filter, ignoring case.
    fn matching(&self) -> Vec<usize> {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let matches = |line: &str| {
            let line = line.to_lowercase();
            words.iter().all(|word| line.contains(word))
        };
        (0..self.lines.len()).filter(|at| matches(&self.lines[*at])).collect()
    }

    /// Returns the lines to show in `rows` rows: the filter, then the matching lines with the selected one marked.
    pub(super) fn shown(&self, rows: usize) -> Vec<String> {
        let matching = self.matching();
        let mut shown = vec![format!("{} {KEYS_HELP}{}", self.title, self.filter)];
        if matching.is_empty() {
            shown.push("  nothing matches; C-u clears the filter".to_owned());
            return shown;
        }
        let room = rows.saturating_sub(1).max(1);
        let first = (self.selected + 1).saturating_sub(room);
        for (at, index) in matching.iter().enumerate().skip(first).take(room) {
            let mark = if at == self.selected { '>' } else { ' ' };
            let number = if at < 9 && self.filter.is_empty() { (at + 1).to_string() } else { " ".into() };
            shown.push(format!("{mark} {number} {}", self.lines[*index]));
        }
        shown
    }

    /// Processes the bytes of one or more keys.
    pub(super) fn keys(&mut self, bytes: &[u8]) -> KeyEffect {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (step, taken) = self.key(rest);
            if step != KeyEffect::Continue {
                return step;
            }
            rest = &rest[taken.max(1)..];
        }
        KeyEffect::Continue
    }

    /// Processes the first key and returns its length in bytes.
    fn key(&mut self, bytes: &[u8]) -> (KeyEffect, usize) {
        match bytes {
            [0x1b, b'[' | b'O', b'A', ..] => (self.select_before(), 3),
            [0x1b, b'[' | b'O', b'B', ..] => (self.select_behind(), 3),
            // All other escape sequences are ignored.
            [0x1b, b'[' | b'O', rest @ ..] => {
                let end = rest.iter().position(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
                (KeyEffect::Continue, 2 + end.map_or(rest.len(), |end| end + 1))
            }
            [0x1b, ..] | [0x03, ..] | [0x04, ..] => (KeyEffect::Cancel, 1),
            [b'\r' | b'\n', ..] => (self.chosen(self.selected), 1),
            [0x10, ..] => (self.select_before(), 1),
            [0x0e | b'\t', ..] => (self.select_behind(), 1),
            [0x15, ..] => (self.filtered(|filter| filter.clear()), 1),
            [0x17, ..] => (self.filtered(remove_word), 1),
            [0x7f | 0x08, ..] => (self.filtered(remove_character), 1),
            [digit @ b'1'..=b'9', ..] if self.filter.is_empty() => {
                (self.chosen(usize::from(digit - b'1')), 1)
            }
            _ => self.typed(bytes),
        }
    }

    fn select_before(&mut self) -> KeyEffect {
        self.selected = self.selected.saturating_sub(1);
        KeyEffect::Continue
    }

    fn select_behind(&mut self) -> KeyEffect {
        self.selected = (self.selected + 1).min(self.matching().len().saturating_sub(1));
        KeyEffect::Continue
    }

    fn chosen(&self, at: usize) -> KeyEffect {
        self.matching().get(at).map_or(KeyEffect::Continue, |index| KeyEffect::Choose(*index))
    }

    fn filtered(&mut self, change: impl FnOnce(&mut String)) -> KeyEffect {
        change(&mut self.filter);
        self.selected = 0;
        KeyEffect::Continue
    }

    /// Appends a typed character to the filter. Control characters and invalid UTF-8 are ignored.
    fn typed(&mut self, bytes: &[u8]) -> (KeyEffect, usize) {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        match valid.chars().next() {
            Some(c) if !c.is_control() => (self.filtered(|filter| filter.push(c)), c.len_utf8()),
            _ => (KeyEffect::Continue, 1),
        }
    }
}

fn remove_character(filter: &mut String) {
    filter.pop();
}

fn remove_word(filter: &mut String) {
    let end = filter.trim_end().rfind(' ').map_or(0, |at| at + 1);
    filter.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooser() -> Chooser {
        Chooser::new("attach to", ["api idle", "web waiting", "docs idle"].map(str::to_owned).into())
    }

    #[test]
    fn keys_select_filter_and_leave() {
        for (keys, expected) in [
            (&b"\r"[..], KeyEffect::Choose(0)),
            (b"\x1b[B\r", KeyEffect::Choose(1)),
            (b"\x1bOB\x1bOB\x1bOB\x1b[A\r", KeyEffect::Choose(1)),
            (b"2", KeyEffect::Choose(1)),
            (b"9", KeyEffect::Continue),
            (b"docs\r", KeyEffect::Choose(2)),
            (b"idle do\r", KeyEffect::Choose(2)),
            (b"nothing\r", KeyEffect::Continue),
            (b"nothing\x15\r", KeyEffect::Choose(0)),
            (b"docsx\x7f\r", KeyEffect::Choose(2)),
            (b"do cs\x17c\r", KeyEffect::Choose(2)),
            (b"WEB\r", KeyEffect::Choose(1)),
            (b"\x1b[5~\x1b[1;5C\r", KeyEffect::Choose(0)),
            (b"\x1b", KeyEffect::Cancel),
            (b"\x03", KeyEffect::Cancel),
            ("ü\r".as_bytes(), KeyEffect::Continue),
        ] {
            assert_eq!(chooser().keys(keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn the_selected_line_is_always_shown() {
        let mut chooser = Chooser::new("attach to", (0..30).map(|at| format!("agent-{at}")).collect());
        chooser.keys(&b"\x0e".repeat(20));
        let shown = chooser.shown(6);
        assert_eq!(shown.len(), 6);
        assert_eq!(shown.iter().filter(|line| line.starts_with("> ")).collect::<Vec<_>>(), [">   agent-20"]);
    }

    #[test]
    fn a_filter_that_matches_nothing_says_so() {
        let mut chooser = chooser();
        chooser.keys(b"zzz");
        assert!(chooser.shown(10)[1].contains("nothing matches"));
    }
}
