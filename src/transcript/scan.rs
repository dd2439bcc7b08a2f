//! Finds the few relevant escape sequences in a byte stream, regardless of how it is split into pieces. Must be fast on
//! large outputs, so it skips other bytes instead of parsing them.

use std::io::BufRead;

/// Maximum length of the parameters in bytes. No relevant sequence is longer.
const MAX_SEQUENCE_BYTES: usize = 64;

/// An escape sequence that the transcript adapter interprets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModeSequence {
    /// `CSI ? … h`: private modes enabled.
    On(Vec<u16>),
    /// `CSI ? … l`: private modes disabled.
    Off(Vec<u16>),
    /// `CSI 8 ; rows ; cols t`: terminal resized.
    Resize(u16, u16),
    /// `CSI J` or `CSI 2 J`: screen erased.
    Erase(ErasedArea),
    /// `ESC c`: terminal reset to its initial state.
    Reset,
}

/// The part of a screen that is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErasedArea {
    /// Everything from the cursor to the end of the screen.
    Below,
    /// The whole screen.
    All,
}

/// A scanner whose state survives between pieces of the stream.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: ScannerState,
    parameters: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ScannerState {
    #[default]
    Text,
    Escape,
    Parameters,
}

const ESC: u8 = 0x1b;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

impl Scanner {
    /// Advances to the end of the next relevant sequence and returns the number of consumed bytes and the sequence.
    /// Without such a sequence, all bytes are consumed.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> (usize, Option<ModeSequence>) {
        let mut taken = 0;
        while taken < bytes.len() {
            if self.state == ScannerState::Text {
                // `skip_until` searches with the C library's memchr; reading from a slice cannot fail.
                let skipped = (&bytes[taken..]).skip_until(ESC).unwrap_or(0);
                taken += skipped;
                if bytes[taken - 1] == ESC {
                    self.state = ScannerState::Escape;
                }
                continue;
            }
            let byte = bytes[taken];
            taken += 1;
            if let Some(sequence) = self.step(byte) {
                return (taken, Some(sequence));
            }
        }
        (taken, None)
    }

    fn step(&mut self, byte: u8) -> Option<ModeSequence> {
        match (self.state, byte) {
            (_, ESC) => self.state = ScannerState::Escape,
            (_, CANCEL | SUBSTITUTE) => self.state = ScannerState::Text,
            // Other control characters take effect immediately, even within a sequence, and do not end it.
            (_, 0..0x20) => {}
            (ScannerState::Escape, b'[') => {
                self.parameters.clear();
                self.state = ScannerState::Parameters;
            }
            (ScannerState::Escape, b'c') => {
                self.state = ScannerState::Text;
                return Some(ModeSequence::Reset);
            }
            (ScannerState::Parameters, 0x20..0x40) => {
                if self.parameters.len() <= MAX_SEQUENCE_BYTES {
                    self.parameters.push(byte);
                }
            }
            (ScannerState::Parameters, _) => {
                self.state = ScannerState::Text;
                return self.finish(byte);
            }
            _ => self.state = ScannerState::Text,
        }
        None
    }

    fn finish(&self, last: u8) -> Option<ModeSequence> {
        if self.parameters.len() > MAX_SEQUENCE_BYTES {
            return None;
        }
        let text = std::str::from_utf8(&self.parameters).ok()?;
        match (last, text.strip_prefix('?')) {
            (b'h', Some(modes)) => numbers(modes).map(ModeSequence::On),
            (b'l', Some(modes)) => numbers(modes).map(ModeSequence::Off),
            (b't', None) => match numbers(text)?[..] {
                [8, rows, cols] => Some(ModeSequence::Resize(rows, cols)),
                _ => None,
            },
            (b'J', None) => match numbers(text)?[..] {
                [0] => Some(ModeSequence::Erase(ErasedArea::Below)),
                [2] => Some(ModeSequence::Erase(ErasedArea::All)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Parses parameters that are separated by semicolons. An empty parameter is 0, as in terminals.
fn numbers(text: &str) -> Option<Vec<u16>> {
    text.split(';').map(|number| if number.is_empty() { Some(0) } else { number.parse().ok() }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<ModeSequence> {
        let mut scanner = Scanner::default();
        let mut found = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let (taken, sequence) = scanner.advance(rest);
                found.extend(sequence);
                rest = &rest[taken..];
            }
        }
        found
    }

    #[test]
    fn only_relevant_escape_sequences_are_reported() {
        use ModeSequence::{Erase, Off, On, Reset, Resize};
        for (bytes, expected) in [
            (&b"text\x1b[?2004hmore"[..], vec![On(vec![2004])]),
            (b"\x1b[?2004;1004h\x1b[?1049l", vec![On(vec![2004, 1004]), Off(vec![1049])]),
            (b"\x1bc", vec![Reset]),
            (b"\x1b[8;30;100t", vec![Resize(30, 100)]),
            (b"\x1b[J\x1b[2J\x1b[1J\x1b[3J\x1b[?J", vec![Erase(ErasedArea::Below), Erase(ErasedArea::All)]),
            (b"\x1b\x1b[?47h", vec![On(vec![47])]),
            (b"\x1b[?20\n04h", vec![On(vec![2004])]),
            (b"\x1b[31m\x1b[?25\x18h\x1b[2004h\x1b[?2004p", vec![]),
            (b"\x1b[?2004\x1b[?1hx", vec![On(vec![1])]),
            (b"\x1b[?99999h\x1b[?1:2h\x1b[18t", vec![]),
            (b"\x1b]0;title c\x07c\x1b(c", vec![]),
        ] {
            assert_eq!(all(&[bytes]), expected, "{}", bytes.escape_ascii());
        }
        let long = [b"\x1b[?1".to_vec(), vec![b';'; 1000], b"h\x1b[?2h".to_vec()].concat();
        assert_eq!(all(&[&long]), [On(vec![2])]);
    }

    proptest! {
        #[test]
        fn cutting_the_stream_anywhere_changes_nothing(
            bytes in proptest::collection::vec(
                prop_oneof![Just(ESC), Just(b'['), Just(b'?'), Just(b'h'), Just(b'c'), Just(b'8'), Just(b';'), any::<u8>()],
                0..60,
            ),
            at in any::<prop::sample::Index>(),
        ) {
            let (head, tail) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(all(&[head, tail]), all(&[&bytes]));
        }
    }
}
