//! Decodes the bytes of a terminal into keys. Pure; incomplete sequences are kept for the next call.

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// A key press or a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// A single character.
    Char(char),
    /// A pasted text with its original line ends.
    Paste(String),
    Enter,
    Backspace,
    /// A single Escape.
    Esc,
    CtrlC,
    CtrlD,
    CtrlU,
    /// A key without a function in the demo agent.
    Other,
}

/// Decodes bytes into keys.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    pending: Vec<u8>,
}

impl Decoder {
    /// Checks whether the decoder waits for the rest of a key.
    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Adds bytes and returns the keys that are complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        let mut at = 0;
        while let Some((key, used)) = next(&self.pending[at..]) {
            at += used;
            keys.push(key);
        }
        self.pending.drain(..at);
        keys
    }

    /// Ends a pending sequence after a pause: a single Escape was the key itself. A paste continues.
    pub(super) fn settle(&mut self) -> Vec<Key> {
        if self.pending.starts_with(PASTE_START) {
            return Vec::new();
        }
        match std::mem::take(&mut self.pending).as_slice() {
            [] => Vec::new(),
            [0x1b] => vec![Key::Esc],
            _ => vec![Key::Other],
        }
    }
}

fn next(bytes: &[u8]) -> Option<(Key, usize)> {
    let key = match *bytes.first()? {
        b'\r' | b'\n' => Key::Enter,
        0x7f | 0x08 => Key::Backspace,
        0x03 => Key::CtrlC,
        0x04 => Key::CtrlD,
        0x15 => Key::CtrlU,
        0x1b => return escape(bytes),
        b'\t' => Key::Char(' '),
        byte if byte < 0x20 => Key::Other,
        _ => return character(bytes),
    };
    Some((key, 1))
}

fn character(bytes: &[u8]) -> Option<(Key, usize)> {
    let whole = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(whole) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => std::str::from_utf8(&whole[..error.valid_up_to()]).ok()?,
        Err(error) => return error.error_len().map(|bad| (Key::Other, bad)),
    };
    let first = valid.chars().next()?;
    Some((Key::Char(first), first.len_utf8()))
}

fn escape(bytes: &[u8]) -> Option<(Key, usize)> {
    if bytes.starts_with(PASTE_START) {
        let text = &bytes[PASTE_START.len()..];
        let end = text.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
        let paste = Key::Paste(String::from_utf8_lossy(&text[..end]).into_owned());
        return Some((paste, PASTE_START.len() + end + PASTE_END.len()));
    }
    match *bytes.get(1)? {
        b'[' => {
            let end = bytes[2..].iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            Some((Key::Other, end + 3))
        }
        b'O' => bytes.get(2).map(|_| (Key::Other, 3)),
        // The terminal cannot distinguish an Escape that was immediately followed by another key, so both are
        // reported.
        _ => Some((Key::Esc, 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_become_keys() {
        for (bytes, keys) in [
            (b"a\r".as_slice(), vec![Key::Char('a'), Key::Enter]),
            ("ü😀".as_bytes(), vec![Key::Char('ü'), Key::Char('😀')]),
            (b"\x03\x04\x15\x7f", vec![Key::CtrlC, Key::CtrlD, Key::CtrlU, Key::Backspace]),
            (b"\x1b[Ax\x1bOP", vec![Key::Other, Key::Char('x'), Key::Other]),
            (b"\x1b\x03", vec![Key::Esc, Key::CtrlC]),
            (b"\x1b[200~a\rb\x1b[201~\r", vec![Key::Paste("a\rb".into()), Key::Enter]),
            (b"\xffa", vec![Key::Other, Key::Char('a')]),
        ] {
            assert_eq!(Decoder::default().feed(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key_only_when_nothing_follows() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.is_waiting());
        assert_eq!(decoder.settle(), [Key::Esc]);
        assert_eq!(decoder.feed(b"\x1b[200~half"), []);
        assert_eq!(decoder.settle(), []);
        assert_eq!(decoder.feed(b" whole\x1b[201~"), [Key::Paste("half whole".into())]);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_are_cut(
            text in "[a-zü😀\r]{0,6}(\u{1b}\\[200~[a-z\n\u{3}ü]{0,9}\u{1b}\\[201~)?[a-z\u{15}]{0,4}", cut in 0usize..40,
        ) {
            let cut = cut.min(text.len());
            let whole = Decoder::default().feed(text.as_bytes());
            let mut decoder = Decoder::default();
            let mut parts = decoder.feed(&text.as_bytes()[..cut]);
            parts.extend(decoder.feed(&text.as_bytes()[cut..]));
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut decoder = Decoder::default();
            decoder.feed(&bytes);
            decoder.settle();
        }
    }
}
