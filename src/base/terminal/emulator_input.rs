//! Prepares the output of a program for the terminal emulator.

/// U+FE0F, which asks for the emoji form of the character before it.
const EMOJI_SELECTOR: &[u8] = "\u{fe0f}".as_bytes();
/// U+200D, which joins the characters on both sides.
const JOINER: &[u8] = "\u{200d}".as_bytes();

/// Passes output on in whole characters, without U+FE0F, and with the first character of those that U+200D joins.
///
/// - vte 0.15 drops characters after a character that arrives in two pieces.
/// - vt100 0.18 makes a character wide that is followed by U+FE0F, and panics if that character is in the last column and
///   is overwritten later. tmux 3.3 leaves such a character narrow.
/// - Bytes that are no character become U+FFFD, as in the emulator. Those before and behind a removed character could form
///   it again.
/// - tmux 3.3 gives joined characters the columns of the first one, such as two to an astronaut, and vt100 adds their columns.
#[derive(Debug, Default)]
pub struct EmulatorInput {
    /// The first bytes of a character whose remaining bytes have not arrived yet.
    held: Vec<u8>,
    /// The end of what was passed on.
    last: PassedEnd,
}

/// Context of the next character.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum PassedEnd {
    /// A control character, or nothing.
    #[default]
    Control,
    Printed,
    /// A joiner after a printed character.
    Joiner,
}

impl EmulatorInput {
    /// Returns what the emulator can process now.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut piece = std::mem::take(&mut self.held);
        piece.extend_from_slice(bytes);
        self.held = piece.split_off(whole_characters(&piece));
        let is_special = |part: &[u8]| part == EMOJI_SELECTOR || part == JOINER;
        let is_plain = !piece.windows(JOINER.len()).any(is_special) && std::str::from_utf8(&piece).is_ok();
        if self.last != PassedEnd::Joiner && is_plain {
            self.last = piece.last().map_or(self.last, |byte| self.after(&[*byte]));
            return piece;
        }
        let (mut kept, mut rest) = (Vec::with_capacity(piece.len()), &piece[..]);
        while !rest.is_empty() {
            let (character, more) = rest.split_at(character_length(rest));
            rest = more;
            let is_joined = self.last == PassedEnd::Joiner && character.len() > 1;
            if character == EMOJI_SELECTOR {
                continue;
            }
            if character.len() == 1 && !character.is_ascii() {
                self.last = PassedEnd::Printed;
                kept.extend_from_slice("\u{fffd}".as_bytes());
                continue;
            }
            self.last = self.after(character);
            if !is_joined && character != JOINER {
                kept.extend_from_slice(character);
            }
        }
        kept
    }

    /// Returns the end of the output after a character.
    fn after(&self, character: &[u8]) -> PassedEnd {
        match character {
            JOINER if self.last == PassedEnd::Control => PassedEnd::Control,
            JOINER => PassedEnd::Joiner,
            [0..=0x1f | 0x7f, ..] => PassedEnd::Control,
            _ => PassedEnd::Printed,
        }
    }
}

/// Returns the number of bytes of the first character, or one for bytes that are none.
fn character_length(bytes: &[u8]) -> usize {
    let wanted = bytes.first().map_or(0, |first| first.leading_ones() as usize);
    match wanted {
        2..=4 if bytes.len() >= wanted && bytes[1..wanted].iter().all(|byte| byte >> 6 == 0b10) => wanted,
        _ => 1,
    }
}

/// Returns the number of bytes up to the end of the last whole character.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3);
    let cut = (last..bytes.len()).rev().find(|at| bytes[*at] >= 0xc0);
    cut.filter(|at| bytes.len() - at < bytes[*at].leading_ones() as usize).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_arrive_whole_and_without_emoji_selectors() {
        let mut input = EmulatorInput::default();
        let text = "a⚠\u{fe0f}b日\u{fe0f}\u{fe0f}🦀".as_bytes();
        for size in 1..=text.len() {
            let taken: Vec<Vec<u8>> = text.chunks(size).map(|piece| input.take(piece)).collect();
            assert!(taken.iter().all(|piece| std::str::from_utf8(piece).is_ok()), "{taken:?}");
            assert_eq!(taken.concat(), "a⚠b日🦀".as_bytes());
        }
    }

    #[test]
    fn stray_bytes_around_a_removed_character_form_no_new_one() {
        let text = b"\xe2\x9a\xa0\xef\xb8\xef\xb8\x8f\x8f \xe2\x80\xe2\x80\x8d\x8d";
        for size in 1..=text.len() {
            let mut input = EmulatorInput::default();
            let taken: Vec<u8> = text.chunks(size).flat_map(|piece| input.take(piece)).collect();
            for removed in [EMOJI_SELECTOR, JOINER] {
                assert!(
                    !taken.windows(removed.len()).any(|part| part == removed),
                    "pieces of {size}: {taken:x?}"
                );
            }
        }
    }

    #[test]
    fn joined_characters_are_their_first_one_also_in_pieces() {
        for (text, kept) in [
            ("👩\u{200d}🚀x", "👩x"),
            ("👨\u{200d}👩\u{200d}👧x", "👨x"),
            ("❤\u{fe0f}\u{200d}🔥x", "❤x"),
            ("é\u{200d}éé", "éé"),
            ("a\u{200d}bx", "abx"),
            ("\n\u{200d}🚀x", "\n🚀x"),
        ] {
            for size in 1..=text.len() {
                let mut input = EmulatorInput::default();
                let taken: Vec<Vec<u8>> =
                    text.as_bytes().chunks(size).map(|piece| input.take(piece)).collect();
                assert_eq!(taken.concat(), kept.as_bytes(), "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_characters_are_replaced() {
        let mut input = EmulatorInput::default();
        let mut take = |bytes: &[u8]| String::from_utf8(input.take(bytes)).unwrap();
        assert_eq!(take(b"\xff\xef\xb8a"), "\u{fffd}\u{fffd}\u{fffd}a");
        assert_eq!(take(b"\xef\xb8"), "");
        assert_eq!(take(b"x"), "\u{fffd}\u{fffd}x");
    }
}
