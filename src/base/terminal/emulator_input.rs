//! Prepares the output of a program for the terminal emulator.

/// U+FE0F, which asks for the emoji form of the character before it.
const EMOJI_SELECTOR: &[u8] = "\u{fe0f}".as_bytes();

/// Passes output on in whole characters and without U+FE0F.
///
/// - vte 0.15 drops characters after a character that arrives in two pieces.
/// - vt100 0.18 makes a character wide that is followed by U+FE0F, and panics if that character is in the last column and
///   is overwritten later. tmux 3.3 leaves such a character narrow.
#[derive(Debug, Default)]
pub struct EmulatorInput {
    /// The first bytes of a character whose remaining bytes have not arrived yet.
    held: Vec<u8>,
}

impl EmulatorInput {
    /// Returns what the emulator can process now.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut piece = std::mem::take(&mut self.held);
        piece.extend_from_slice(bytes);
        self.held = piece.split_off(whole_characters(&piece));
        without_emoji_selectors(piece)
    }
}

/// Returns the number of bytes up to the end of the last whole character.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3);
    let cut = (last..bytes.len()).rev().find(|at| bytes[*at] >= 0xc0);
    cut.filter(|at| bytes.len() - at < bytes[*at].leading_ones() as usize).unwrap_or(bytes.len())
}

fn without_emoji_selectors(piece: Vec<u8>) -> Vec<u8> {
    if !piece.windows(EMOJI_SELECTOR.len()).any(|part| part == EMOJI_SELECTOR) {
        return piece;
    }
    let (mut kept, mut rest) = (Vec::with_capacity(piece.len()), &piece[..]);
    while let Some((first, more)) = rest.split_first() {
        rest = match rest.strip_prefix(EMOJI_SELECTOR) {
            Some(after) => after,
            None => {
                kept.push(*first);
                more
            }
        };
    }
    kept
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
    fn bytes_that_are_no_characters_pass() {
        let mut input = EmulatorInput::default();
        assert_eq!(input.take(b"\xff\xef\xb8a"), b"\xff\xef\xb8a");
        assert_eq!(input.take(b"\xef\xb8"), b"");
        assert_eq!(input.take(b"x"), b"\xef\xb8x");
    }
}
