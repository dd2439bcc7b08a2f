//! Decodes the bytes of a terminal into keys. Pure; incomplete sequences are kept for the next call.

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// A key press or a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DemoKey {
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
pub(super) struct KeyDecoder {
    pending: Vec<u8>,
}

impl KeyDecoder {
    /// Checks whether the decoder waits for the rest of a key.
    pub(super) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Adds bytes and returns the keys that are complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<DemoKey> {
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
    pub(super) fn flush_pending(&mut self) -> Vec<DemoKey> {
        if self.pending.starts_with(PASTE_START) {
            return Vec::new();
        }
        match std::mem::take(&mut self.pending).as_slice() {
            [] => Vec::new(),
            [0x1b] => vec![DemoKey::Esc],
            _ => vec![DemoKey::Other],
        }
    }
}

fn next(bytes: &[u8]) -> Option<(DemoKey, usize)> {
    let key = match *bytes.first()? {
        b'\r' | b'\n' => DemoKey::Enter,
        0x7f | 0x08 => DemoKey::Backspace,
        0x03 => DemoKey::CtrlC,
        0x04 => DemoKey::CtrlD,
        0x15 => DemoKey::CtrlU,
        0x1b => return escape(bytes),
        b'\t' => DemoKey::Char(' '),
        byte if byte < 0x20 => DemoKey::Other,
        _ => return character(bytes),
    };
    Some((key, 1))
}

fn character(bytes: &[u8]) -> Option<(DemoKey, usize)> {
    let whole = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(whole) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => std::str::from_utf8(&whole[..error.valid_up_to()]).ok()?,
        Err(error) => return error.error_len().map(|bad| (DemoKey::Other, bad)),
    };
    let first = valid.chars().next()?;
    Some((DemoKey::Char(first), first.len_utf8()))
}

fn escape(bytes: &[u8]) -> Option<(DemoKey, usize)> {
    if bytes.starts_with(PASTE_START) {
        let text = &bytes[PASTE_START.len()..];
        let end = text.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
        let paste = DemoKey::Paste(String::from_utf8_lossy(&text[..end]).into_owned());
        return Some((paste, PASTE_START.len() + end + PASTE_END.len()));
    }
    match *bytes.get(1)? {
        b'[' => {
            let end = bytes[2..].iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            Some((DemoKey::Other, end + 3))
        }
        b'O' => bytes.get(2).map(|_| (DemoKey::Other, 3)),
        // The terminal cannot distinguish an Escape that was immediately followed by another key, so both are
        // reported.
        _ => Some((DemoKey::Esc, 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_become_keys() {
        for (bytes, keys) in [
            (b"a\r".as_slice(), vec![DemoKey::Char('a'), DemoKey::Enter]),
            ("ü😀".as_bytes(), vec![DemoKey::Char('ü'), DemoKey::Char('😀')]),
            (b"\x03\x04\x15\x7f", vec![DemoKey::CtrlC, DemoKey::CtrlD, DemoKey::CtrlU, DemoKey::Backspace]),
            (b"\x1b[Ax\x1bOP", vec![DemoKey::Other, DemoKey::Char('x'), DemoKey::Other]),
            (b"\x1b\x03", vec![DemoKey::Esc, DemoKey::CtrlC]),
            (b"\x1b[200~a\rb\x1b[201~\r", vec![DemoKey::Paste("a\rb".into()), DemoKey::Enter]),
            (b"\xffa", vec![DemoKey::Other, DemoKey::Char('a')]),
        ] {
            assert_eq!(KeyDecoder::default().feed(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key_only_when_nothing_follows() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.has_pending());
        assert_eq!(decoder.flush_pending(), [DemoKey::Esc]);
        assert_eq!(decoder.feed(b"\x1b[200~half"), []);
        assert_eq!(decoder.flush_pending(), []);
        assert_eq!(decoder.feed(b" whole\x1b[201~"), [DemoKey::Paste("half whole".into())]);
    }

    proptest! {
        #[test]
        fn chunking_of_the_bytes_does_not_matter(
            text in "[a-zü😀\r]{0,6}(\u{1b}\\[200~[a-z\n\u{3}ü]{0,9}\u{1b}\\[201~)?[a-z\u{15}]{0,4}", cut in 0usize..40,
        ) {
            let cut = cut.min(text.len());
            let whole = KeyDecoder::default().feed(text.as_bytes());
            let mut decoder = KeyDecoder::default();
            let mut parts = decoder.feed(&text.as_bytes()[..cut]);
            parts.extend(decoder.feed(&text.as_bytes()[cut..]));
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut decoder = KeyDecoder::default();
            decoder.feed(&bytes);
            decoder.flush_pending();
        }
    }
}
