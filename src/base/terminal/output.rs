//! Sanitizes the output of another machine for this terminal, as a stream. Removes escape sequences except colours,
//! where colours are wanted, and the sequence that clears the screen, in a list that is redrawn.
//!
//! Buffers at most an incomplete sequence or character at the end of the input, or one line of JSON.

use crate::base::sanitize::is_deceptive;

/// The sequence that begins each redraw of a list: cursor home, then clear everything below.
pub const REDRAW: &[u8] = b"\x1b[H\x1b[J";

/// The longest escape sequence that symposium prints; longer ones are not passed through.
const MAX_SEQUENCE_BYTES: usize = 16;
/// The longest accepted line of JSON, because the whole transcript of an agent is one line.
const MAX_LINE_BYTES: usize = 128 << 20;

/// The expected form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputMode {
    /// Text, with or without colours.
    Text {
        /// Whether colours are passed through.
        coloured: bool,
    },
    /// Text that is redrawn repeatedly on one screen.
    Drawn {
        /// Whether colours are passed through.
        coloured: bool,
    },
    /// One JSON value per line.
    Json,
    /// Bytes that the same command on this machine would also print unchanged.
    AsPrinted,
}

/// Sanitizes one stream.
#[derive(Debug)]
pub struct OutputSanitizer {
    manner: OutputMode,
    /// Input that is incomplete and therefore not shown yet.
    rest: Vec<u8>,
    is_styled: bool,
    refused: usize,
}

impl OutputSanitizer {
    /// Creates a sanitizer for a stream of this form.
    pub fn of(manner: OutputMode) -> OutputSanitizer {
        OutputSanitizer { manner, rest: vec![], is_styled: false, refused: 0 }
    }

    /// Adds input and returns the part that can be shown now.
    pub fn clean(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self.manner {
            OutputMode::AsPrinted => bytes.to_vec(),
            OutputMode::Json => self.lines(bytes),
            OutputMode::Text { .. } | OutputMode::Drawn { .. } => {
                self.rest.extend_from_slice(bytes);
                self.text(SequenceEnd::NotYet)
            }
        }
    }

    /// Returns the remaining output and switches off a colour that was left on.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut shown = match self.manner {
            OutputMode::AsPrinted => vec![],
            OutputMode::Json if self.rest.is_empty() => vec![],
            OutputMode::Json => self.lines(b"\n"),
            OutputMode::Text { .. } | OutputMode::Drawn { .. } => self.text(SequenceEnd::Here),
        };
        if std::mem::take(&mut self.is_styled) {
            shown.extend_from_slice(b"\x1b[0m");
        }
        shown
    }

    /// Discards buffered input, because the stream starts again from its beginning.
    pub fn forget(&mut self) {
        self.rest.clear();
    }

    /// Returns the number of lines that were dropped because they are not JSON.
    pub fn refused(&self) -> usize {
        self.refused
    }

    fn lines(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.rest.extend_from_slice(bytes);
        // Searches only the new bytes, because a line may arrive in many chunks.
        if !bytes.contains(&b'\n') && self.rest.len() <= MAX_LINE_BYTES {
            return vec![];
        }
        let mut shown = Vec::new();
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.rest.split_off(end);
        for line in std::mem::replace(&mut self.rest, rest).split_inclusive(|byte| *byte == b'\n') {
            match std::str::from_utf8(line).ok().filter(|line| is_json(line)) {
                Some(line) => shown.extend_from_slice(format!("{}\n", escaped(line.trim())).as_bytes()),
                None if line.trim_ascii().is_empty() => {}
                None => self.refused += 1,
            }
        }
        if self.rest.len() > MAX_LINE_BYTES {
            self.rest = vec![];
            self.refused += 1;
        }
        shown
    }

    fn text(&mut self, end: SequenceEnd) -> Vec<u8> {
        let rest = std::mem::take(&mut self.rest);
        let mut shown = Vec::with_capacity(rest.len());
        let mut at = 0;
        while at < rest.len() {
            let left = &rest[at..];
            if left[0] == 0x1b {
                match self.sequence(left) {
                    EscapeSequence::Whole(length) => {
                        shown.extend_from_slice(&left[..length]);
                        at += length;
                    }
                    EscapeSequence::Dropped(length) => at += length,
                    EscapeSequence::Begun if end == SequenceEnd::NotYet => break,
                    EscapeSequence::Begun | EscapeSequence::None => {
                        shown.push(b' ');
                        at += 1;
                    }
                }
                continue;
            }
            let until = left.iter().position(|byte| *byte == 0x1b).unwrap_or(left.len());
            let (valid, broken) = match std::str::from_utf8(&left[..until]) {
                Ok(text) => (text, None),
                Err(error) => {
                    let (valid, _) = left.split_at(error.valid_up_to());
                    (std::str::from_utf8(valid).unwrap_or_default(), Some(error.error_len()))
                }
            };
            let clean = |c: char| if is_deceptive(c) && c != '\n' && c != '\t' { ' ' } else { c };
            shown.extend_from_slice(valid.chars().map(clean).collect::<String>().as_bytes());
            at += valid.len();
            match broken {
                None => {}
                // A character that continues in the next chunk.
                Some(None) if until == left.len() && end == SequenceEnd::NotYet => break,
                Some(length) => {
                    shown.extend_from_slice("\u{fffd}".as_bytes());
                    at += length.unwrap_or(until - valid.len());
                }
            }
        }
        self.rest = rest[at..].to_vec();
        shown
    }

    /// Classifies the escape sequence at the start of `bytes`.
    fn sequence(&mut self, bytes: &[u8]) -> EscapeSequence {
        let (coloured, drawn) = match self.manner {
            OutputMode::Text { coloured } => (coloured, false),
            OutputMode::Drawn { coloured } => (coloured, true),
            OutputMode::Json | OutputMode::AsPrinted => (false, false),
        };
        if drawn && bytes.starts_with(REDRAW) {
            return EscapeSequence::Whole(REDRAW.len());
        }
        let inside = bytes.strip_prefix(b"\x1b[").unwrap_or_default();
        let length = inside.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        let is_begun = bytes.len() == 1 || (bytes[1] == b'[' && length == inside.len());
        if (is_begun && bytes.len() < MAX_SEQUENCE_BYTES) || (drawn && REDRAW.starts_with(bytes)) {
            return EscapeSequence::Begun;
        }
        if inside.get(length) != Some(&b'm') || length + 3 > MAX_SEQUENCE_BYTES {
            return EscapeSequence::None;
        }
        let numbers = std::str::from_utf8(&inside[..length]).unwrap_or_default();
        if !numbers.split(';').all(is_plain_style) {
            return EscapeSequence::None;
        }
        self.is_styled = coloured && !numbers.split(';').all(|number| number.is_empty() || number == "0");
        if coloured { EscapeSequence::Whole(length + 3) } else { EscapeSequence::Dropped(length + 3) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SequenceEnd {
    Here,
    NotYet,
}

enum EscapeSequence {
    /// A sequence of this length that may be shown.
    Whole(usize),
    /// A colour sequence of this length, where colours are not wanted.
    Dropped(usize),
    /// An incomplete sequence.
    Begun,
    /// A sequence that symposium does not print.
    None,
}

/// Returns whether symposium prints this style itself: weight and foreground colour, and nothing that hides text.
fn is_plain_style(number: &str) -> bool {
    matches!(number.parse::<u8>(), Ok(0..=4 | 22..=24 | 31..=37 | 39 | 91..=97)) || number.is_empty()
}

fn is_json(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// Returns equivalent JSON without characters that a terminal would interpret.
pub fn escaped(json: &str) -> String {
    if !json.contains(is_deceptive) {
        return json.to_owned();
    }
    json.chars()
        .map(|c| match c {
            // Whitespace between two values; inside of strings JSON escapes these characters.
            '\t' | '\r' | '\n' => " ".to_owned(),
            c if is_deceptive(c) => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: OutputMode = OutputMode::Text { coloured: true };

    fn cleaned(manner: OutputMode, pieces: &[&[u8]]) -> String {
        let mut cleaner = OutputSanitizer::of(manner);
        let mut all: Vec<u8> = pieces.iter().flat_map(|piece| cleaner.clean(piece)).collect();
        all.extend(cleaner.finish());
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left_of_a_text() {
        for (printed, shown) in [
            (&b"plain\n\ttext \xc3\xa9\n"[..], "plain\n\ttext é\n"),
            (b"\x1b]0;title\x07", " ]0;title "),
            (b"\x1b]52;c;cm0gLXJm\x1b\\", " ]52;c;cm0gLXJm \\"),
            (b"\x1b[2J\x1b[H\x1b[1A", " [2J [H [1A"),
            (b"\x1b[?1049h\x1bc\x1bP+q\x1b\\", " [?1049h c P+q \\"),
            (b"a\rb\x08c\x7f", "a b c "),
            ("\u{9b}2J\u{202e}gnp\u{200b}".as_bytes(), " 2J gnp "),
            (b"\x9b2J\xff\xc3", "\u{fffd}2J\u{fffd}\u{fffd}"),
            (b"\x1b[1m\x1b[31merror:\x1b[0m no", "\x1b[1m\x1b[31merror:\x1b[0m no"),
            (b"\x1b[31mred", "\x1b[31mred\x1b[0m"),
            // Concealed text, and a background colour.
            (b"\x1b[8mx\x1b[41my\x1b[30mz", " [8mx [41my [30mz"),
            (b"\x1b[38;5;1mx", " [38;5;1mx"),
            (b"\x1b", " "),
            (b"\x1b[1;1;1;1;1;1;1;1;1;1mx", " [1;1;1;1;1;1;1;1;1;1mx"),
            (REDRAW, " [H [J"),
        ] {
            assert_eq!(cleaned(TEXT, &[printed]), shown, "{printed:?}");
        }
        let plain = OutputMode::Text { coloured: false };
        assert_eq!(cleaned(plain, &[b"\x1b[1m\x1b[31merror:\x1b[0m no"]), "error: no");
    }

    #[test]
    fn a_list_that_is_drawn_again_may_clear_the_screen_and_do_nothing_else() {
        let drawn = OutputMode::Drawn { coloured: true };
        assert_eq!(
            cleaned(drawn, &[b"\x1b[H\x1b[Ja\n", b"\x1b[H", b"\x1b[Jb"]),
            "\x1b[H\x1b[Ja\n\x1b[H\x1b[Jb"
        );
        assert_eq!(cleaned(drawn, &[b"\x1b[H\x1b]0;x\x07\x1b[J\x1b[3J"]), " [H ]0;x  [J [3J");
    }

    #[test]
    fn json_is_passed_on_and_other_output_is_dropped() {
        for (printed, shown, refused) in [
            ("{\"b\":1,\"a\":2.50}\n", "{\"b\":1,\"a\":2.50}\n", 0),
            ("[1]\r\n\n[2]", "[1]\n[2]\n", 0),
            ("\"\u{9b}2J\u{202e}\u{7f}é\"\n", "\"\\u009b2J\\u202e\\u007fé\"\n", 0),
            ("{\"a\":\t1}\n", "{\"a\": 1}\n", 0),
            ("\u{1b}]0;x\u{7}\n{}\n", "{}\n", 1),
            ("\"\u{1b}[2J\"\n", "", 1),
            ("warning: x\n", "", 1),
            ("{\"a\":", "", 1),
        ] {
            let mut cleaner = OutputSanitizer::of(OutputMode::Json);
            let mut all = cleaner.clean(printed.as_bytes());
            all.extend(cleaner.finish());
            assert_eq!(String::from_utf8(all).unwrap(), shown, "{printed:?}");
            assert_eq!(cleaner.refused(), refused, "{printed:?}");
        }
    }

    #[test]
    fn raw_output_stays_unchanged() {
        assert_eq!(OutputSanitizer::of(OutputMode::AsPrinted).clean(b"\x1b[2J\xff"), b"\x1b[2J\xff");
    }

    proptest! {
        /// The output does not depend on where the stream is split, and contains nothing that a terminal would
        /// interpret.
        #[test]
        fn pieces_make_no_difference(
            words in prop::collection::vec(prop::sample::select(vec![
                "\x1b", "[", "31", ";", "m", "H", "\x1b[H\x1b[J", "é", "\u{9b}", "x", "\n", "\x1b[0m", "]0;t\x07",
            ]), 0..24),
            at in any::<prop::sample::Index>(),
        ) {
            let text = words.concat().into_bytes();
            let (before, behind) = text.split_at(at.index(text.len() + 1));
            for manner in [TEXT, OutputMode::Drawn { coloured: true }] {
                let whole = cleaned(manner, &[&text]);
                prop_assert_eq!(&whole, &cleaned(manner, &[before, behind]));
                let left = whole.replace("\x1b[H\x1b[J", "").replace("\x1b[0m", "").replace("\x1b[31m", "");
                let left = left.replace("\x1b[m", "").replace("\x1b[3131m", "");
                let obeyed = |c: char| c.is_control() && c != '\n';
                let styled = left.split('\x1b').skip(1).all(|rest| {
                    rest.starts_with('[') && rest[1..].trim_start_matches(|c: char| c == ';' || c.is_ascii_digit()).starts_with('m')
                });
                prop_assert!(styled && !left.replace('\x1b', "").contains(obeyed), "{:?}", whole);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
            for manner in [TEXT, OutputMode::Drawn { coloured: false }, OutputMode::Json] {
                let mut cleaner = OutputSanitizer::of(manner);
                cleaner.clean(&bytes);
                cleaner.finish();
            }
        }
    }
}
