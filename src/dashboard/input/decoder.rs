//! Decodes the bytes that a terminal sends: keys, mouse events and pasted text. It performs no I/O.
//!
//! crossterm 0.29 has a decoder too, but only together with its own reading of the terminal. That one is edge-triggered
//! and forgets input that arrives together with a change of the size, or after the first kilobyte of a burst: the key was
//! processed with the next one.

use crate::base::key_press::{KeyName, KeyPress, NamedKey};
use crate::dashboard::input::sequence::{Params, control_sequence, function_key};
use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::state::mouse::{MouseAction, MouseInput};
use crate::dashboard::view::theme::Background;

const ESCAPE: u8 = 0x1b;
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// Beginning of the terminal's report of its background colour (OSC 11).
const BACKGROUND_START: &[u8] = b"\x1b]11;";
/// Maximum length of a control sequence. A longer one is not a key.
const MAX_SEQUENCE_BYTES: usize = 64;

/// Bytes that have arrived and are not decoded yet.
#[derive(Debug, Default)]
pub(super) struct InputDecoder {
    bytes: Vec<u8>,
    /// Number of bytes of an unfinished paste that were searched for its end.
    searched: usize,
}

/// The result for the first bytes of the input.
struct DecodedInput {
    /// Number of bytes that were decoded.
    length: usize,
    /// The event; `None` for bytes that mean nothing here.
    event: Option<DashboardEvent>,
}

impl DecodedInput {
    fn key(length: usize, key: KeyPress) -> DecodedInput {
        DecodedInput { length, event: Some(DashboardEvent::Key(key)) }
    }

    fn nothing(length: usize) -> DecodedInput {
        DecodedInput { length, event: None }
    }
}

impl InputDecoder {
    /// Adds bytes and returns the events that are complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<DashboardEvent> {
        self.bytes.extend_from_slice(bytes);
        let (mut events, mut at) = (Vec::new(), 0);
        while let Some(decoded) = self.decode(at) {
            at += decoded.length;
            self.searched = 0;
            events.extend(decoded.event);
        }
        self.bytes.drain(..at);
        events
    }

    /// Returns whether a sequence has begun whose rest follows within a moment, if it is a sequence at all.
    pub(super) fn is_waiting(&self) -> bool {
        let has_end = self.bytes.starts_with(PASTE_START) || self.bytes.starts_with(BACKGROUND_START);
        !self.bytes.is_empty() && !has_end
    }

    /// Decodes the rest without waiting for more: a single Escape is the key.
    pub(super) fn flush(&mut self) -> Option<DashboardEvent> {
        if !self.is_waiting() {
            return None;
        }
        let bytes = std::mem::take(&mut self.bytes);
        match bytes[..] {
            [ESCAPE] => Some(DashboardEvent::Key(KeyPress::named(NamedKey::Escape))),
            [ESCAPE, letter @ b' '..=b'~'] => {
                Some(DashboardEvent::Key(KeyPress { alt: true, ..KeyPress::char(letter.into()) }))
            }
            _ => None,
        }
    }

    /// Forgets what has arrived.
    pub(super) fn clear(&mut self) {
        *self = InputDecoder::default();
    }

    /// Decodes the first event from a position on. Returns `None` if its end is missing.
    fn decode(&mut self, at: usize) -> Option<DecodedInput> {
        let bytes = &self.bytes[at..];
        if let Some(text) = bytes.strip_prefix(PASTE_START) {
            let from = self.searched.saturating_sub(PASTE_END.len());
            let found = text[from..].windows(PASTE_END.len()).position(|part| part == PASTE_END);
            self.searched = text.len();
            let end = from + found?;
            let pasted = String::from_utf8_lossy(&text[..end]).into_owned();
            let length = PASTE_START.len() + end + PASTE_END.len();
            return Some(DecodedInput { length, event: Some(DashboardEvent::Paste(pasted)) });
        }
        if let Some(report) = bytes.strip_prefix(BACKGROUND_START) {
            let decoded = decode_background(report)?;
            return Some(DecodedInput { length: decoded.length + BACKGROUND_START.len(), ..decoded });
        }
        match bytes {
            _ if bytes.len() > 1 && BACKGROUND_START.starts_with(bytes) => None,
            [] | [ESCAPE] | [ESCAPE, b'O'] => None,
            // The second Escape may begin a sequence.
            [ESCAPE, ESCAPE, ..] => Some(DecodedInput::key(1, KeyPress::named(NamedKey::Escape))),
            [ESCAPE, b'[', rest @ ..] => decode_control_sequence(rest)
                .map(|decoded| DecodedInput { length: decoded.length + 2, ..decoded }),
            [ESCAPE, b'O', letter, ..] => {
                let key = function_key(*letter, Params::default());
                Some(DecodedInput { length: 3, event: key.map(DashboardEvent::Key) })
            }
            [ESCAPE, rest @ ..] => {
                let (length, key) = character(rest)?;
                let event = key.map(|key| DashboardEvent::Key(KeyPress { alt: true, ..key }));
                Some(DecodedInput { length: length + 1, event })
            }
            _ => {
                let (length, key) = character(bytes)?;
                Some(DecodedInput { length, event: key.map(DashboardEvent::Key) })
            }
        }
    }
}

/// Decodes the colour of a report of the background, such as `rgb:ffff/ffff/ffff`, up to BEL or `ESC \`. Returns `None`
/// if its end is missing.
fn decode_background(bytes: &[u8]) -> Option<DecodedInput> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'/' | b'#');
    let end = bytes.iter().take(MAX_SEQUENCE_BYTES).position(|byte| !is_part(byte));
    let Some(end) = end else {
        return (bytes.len() >= MAX_SEQUENCE_BYTES).then(|| DecodedInput::nothing(MAX_SEQUENCE_BYTES));
    };
    let length = match bytes[end..] {
        [0x07, ..] => end + 1,
        [ESCAPE, b'\\', ..] => end + 2,
        [ESCAPE] => return None,
        // The report was cut off. The byte belongs to the next event.
        _ => return Some(DecodedInput::nothing(end)),
    };
    let text = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
    Some(DecodedInput { length, event: background(text).map(DashboardEvent::BackgroundReported) })
}

/// Returns whether a colour is light or dark, by its brightness as the eye perceives it.
fn background(color: &str) -> Option<Background> {
    let rest = color.strip_prefix("rgb:").or_else(|| color.strip_prefix("rgba:"))?;
    // Each component has one to four hexadecimal digits.
    let component = |digits: &str| {
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?).filter(|_| digits.len() <= 4)? - 1;
        Some(u32::from_str_radix(digits, 16).ok()? * 1000 / most.max(1))
    };
    let mut components = rest.split('/').map(component);
    let (red, green, blue) = (components.next()??, components.next()??, components.next()??);
    // Weights of ITU-R BT.601, in thousandths.
    let brightness = (299 * red + 587 * green + 114 * blue) / 1000;
    Some(if brightness >= 500 { Background::Light } else { Background::Dark })
}

/// Decodes what follows `ESC [`. Returns `None` if its end is missing.
fn decode_control_sequence(bytes: &[u8]) -> Option<DecodedInput> {
    match bytes {
        // The function keys of the Linux console.
        [b'['] => return None,
        [b'[', letter @ b'A'..=b'E', ..] => {
            let key = KeyPress { key: KeyName::Function(letter - b'A' + 1), ..KeyPress::char(' ') };
            return Some(DecodedInput::key(2, key));
        }
        // The mouse of terminals without the encoding that has numbers.
        [b'M', button, column, line, ..] => {
            let number = |byte: &u8| u16::from(byte.saturating_sub(32));
            let event = mouse_event(number(button), (number(column), number(line)), b'M');
            return Some(DecodedInput { length: 4, event });
        }
        [b'M', ..] => return None,
        _ => {}
    }
    let end = bytes.iter().position(|byte| !(b' '..=b'?').contains(byte));
    let Some(end) = end else {
        return (bytes.len() > MAX_SEQUENCE_BYTES).then(|| DecodedInput::nothing(bytes.len()));
    };
    let last = bytes[end];
    if !(b'@'..=b'~').contains(&last) {
        // The sequence was cut off. The byte belongs to the next event.
        return Some(DecodedInput::nothing(end));
    }
    let text = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
    let event = match text.strip_prefix('<') {
        Some(text) => mouse_in(text, last),
        None if last == b'M' => mouse_in(text, last),
        None => control_sequence(Params::of(text), last).map(DashboardEvent::Key),
    };
    Some(DecodedInput { length: end + 1, event })
}

fn mouse_in(text: &str, last: u8) -> Option<DashboardEvent> {
    let mut numbers = text.split(';').map(|number| number.parse::<u16>().ok());
    let (button, column, line) = (numbers.next()??, numbers.next()??, numbers.next()??);
    mouse_event(button, (column, line), last)
}

/// Returns the mouse event with this code of the button, at a position that counts from 1.
fn mouse_event(button: u16, (column, line): (u16, u16), last: u8) -> Option<DashboardEvent> {
    /// Bits of Shift, Alt and Control.
    const MODIFIERS: u16 = 4 | 8 | 16;
    let kind = match (button & !MODIFIERS, last) {
        (0, b'm') | (3, _) => MouseAction::Release,
        (_, b'm') => return None,
        (0, _) => MouseAction::Press,
        (2, _) => MouseAction::RightPress,
        (32, _) => MouseAction::Drag,
        (64, _) => MouseAction::WheelUp,
        (65, _) => MouseAction::WheelDown,
        _ => return None,
    };
    let (column, line) = (column.saturating_sub(1), line.saturating_sub(1));
    Some(DashboardEvent::Mouse(MouseInput { kind, column, line }))
}

/// Decodes one character. Returns its length and its key, or `None` if its end is missing.
fn character(bytes: &[u8]) -> Option<(usize, Option<KeyPress>)> {
    let key = match *bytes.first()? {
        b'\r' => KeyPress::named(NamedKey::Enter),
        b'\t' => KeyPress::named(NamedKey::Tab),
        0x7f => KeyPress::named(NamedKey::Backspace),
        0 => KeyPress::ctrl(' '),
        letter @ 1..=26 => KeyPress::ctrl(char::from(b'a' + letter - 1)),
        other @ 0x1c..=0x1f => KeyPress::ctrl(char::from(b'\\' + other - 0x1c)),
        ascii @ b' '..=b'~' => KeyPress::char(ascii.into()),
        first => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Some((1, None)),
            };
            let valid = |byte: &&u8| (0x80..=0xbf).contains(*byte);
            let following = bytes[1..].iter().take(length - 1).take_while(valid).count();
            return match bytes.get(..length) {
                _ if following + 1 < length.min(bytes.len()) => Some((1 + following, None)),
                None => None,
                Some(all) => {
                    let text = std::str::from_utf8(all).ok();
                    Some((length, text.and_then(|text| text.chars().next()).map(KeyPress::char)))
                }
            };
        }
    };
    Some((1, Some(key)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(events: impl IntoIterator<Item = DashboardEvent>) -> Vec<String> {
        let text = |event| match event {
            DashboardEvent::Key(key) => key.to_string(),
            DashboardEvent::Paste(text) => format!("paste {text}"),
            DashboardEvent::Mouse(input) => format!("{:?} {} {}", input.kind, input.column, input.line),
            other => format!("{other:?}"),
        };
        events.into_iter().map(text).collect()
    }

    fn decoded(bytes: &[u8]) -> Vec<String> {
        let mut decoder = InputDecoder::default();
        let mut events = shown(decoder.push(bytes));
        events.extend(shown(decoder.flush()));
        events
    }

    #[test]
    fn keys_are_decoded() {
        for (bytes, keys) in [
            ("aZ?é日👍 ", "a Z ? é 日 👍 Space"),
            ("\r\n\t\x7f\x08\x01\x1a\x00", "Enter C-j Tab BSpace C-h C-a C-z C-Space"),
            ("\x1c\x1d\x1e\x1f", "C-\\ C-] C-^ C-_"),
            ("\x1b", "Escape"),
            ("\x1b\x1b", "Escape Escape"),
            ("\x1b\x1b[A", "Escape Up"),
            ("\x1bx\x1b\r\x1bé\x1b\x01\x1b[", "M-x M-Enter M-é C-M-a M-["),
            ("\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F\x1b[Z", "Up Down Right Left Home End BTab"),
            ("\x1bOA\x1bOP\x1bOS\x1bOM", "Up F1 F4 Enter"),
            ("\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~", "Home IC DC End PageUp PageDown"),
            ("\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[24~\x1b[[B", "F1 F5 F6 F10 F12 F2"),
            ("\x1b[1;2D\x1b[1;5C\x1b[1;3A\x1b[5;5~\x1b[1;2P", "S-Left C-Right M-Up C-PageUp S-F1"),
            ("\x1b[13;2u\x1b[97;5u\x1b[27;5;13~\x1b[97;1:3u", "S-Enter C-a C-Enter"),
            ("\x1b[I\x1b[O\x1b[?1;2c\x1b[5;5;5;5xq", "q"),
        ] {
            assert_eq!(decoded(bytes.as_bytes()).join(" "), keys, "{bytes:?}");
        }
        assert_eq!(decoded(b"\xff\xc3\x28\xe2\x82a"), ["(", "a"], "bytes that are not UTF-8 mean nothing");
    }

    #[test]
    fn mouse_and_pastes_are_decoded() {
        let mouse =
            b"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<2;1;1M\x1b[<32;9;9M\x1b[<64;1;2M\x1b[<81;1;2M\x1b[<35;1;1M";
        assert_eq!(
            decoded(mouse),
            ["Press 2 3", "Release 2 3", "RightPress 0 0", "Drag 8 8", "WheelUp 0 1", "WheelDown 0 1"]
        );
        assert_eq!(decoded(b"\x1b[0;3;4M\x1b[M !!q"), ["Press 2 3", "Press 0 0", "q"]);
        let pasted = "a\x1b[200~rm -rf\n\x1b[A日\x1b[201~b";
        assert_eq!(decoded(pasted.as_bytes()), ["a", "paste rm -rf\n\x1b[A日", "b"]);
    }

    #[test]
    fn the_background_of_the_terminal_is_decoded() {
        for (bytes, events) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\q", "BackgroundReported(Light) q"),
            ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07q", "BackgroundReported(Dark) q"),
            ("\x1b]11;rgb:ff/f8/e7\x07", "BackgroundReported(Light)"),
            ("\x1b]11;rgba:0000/0000/0000/ffff\x07", "BackgroundReported(Dark)"),
            ("\x1b]11;white\x07q", "q"),
            ("\x1b]11;rgb:ff/ff\x1b[A", "Up"),
            ("\x1b]11;rgb://\x07q", "q"),
            ("\x1b]", "M-]"),
        ] {
            assert_eq!(decoded(bytes.as_bytes()).join(" "), events, "{bytes:?}");
        }
        // A slow connection may split the report. Its rest must not act as keys.
        let mut decoder = InputDecoder::default();
        assert!(decoder.push(b"\x1b]11;rgb:ffff/ff").is_empty() && !decoder.is_waiting());
        assert_eq!(shown(decoder.push(b"ff/ffff\x1b")), [""; 0]);
        assert_eq!(shown(decoder.push(b"\\y")), ["BackgroundReported(Light)", "y"]);
        let mut decoder = InputDecoder::default();
        assert_eq!(shown(decoder.push(format!("\x1b]11;{}q", "f".repeat(64)).as_bytes())), ["q"]);
    }

    #[test]
    fn an_unfinished_paste_waits_for_its_end() {
        let mut decoder = InputDecoder::default();
        assert!(decoder.push(b"\x1b[200~one\x1b[20").is_empty());
        assert!(!decoder.is_waiting(), "a paste takes as long as it takes");
        assert_eq!(shown(decoder.push(b"1~x")), ["paste one", "x"]);
    }

    proptest! {
        /// Reads end anywhere. Only an Escape at the end of a read is ambiguous, and the thread waits for the rest.
        #[test]
        fn input_is_decoded_the_same_however_it_is_split(
            parts in proptest::collection::vec("(\x1b\\[[A-D]|\x1bO[P-S]|\x1b\\[[0-9]{1,2};[0-9]~|日|é|[a-z\r]|\x1b\\[<[0-9]{1,2};5;6[Mm]|\x1b\\[200~[a-z]{0,5}\x1b\\[201~|\x1b[a-z]){1,4}", 1..6),
            cuts in proptest::collection::vec(1_usize..9, 1..40),
        ) {
            let bytes = parts.concat().into_bytes();
            let whole = shown(InputDecoder::default().push(&bytes));
            let (mut decoder, mut rest, mut split) = (InputDecoder::default(), &bytes[..], Vec::new());
            for cut in cuts.iter().cycle() {
                let (some, others) = rest.split_at((*cut).min(rest.len()));
                split.extend(shown(decoder.push(some)));
                rest = others;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(split, whole);
        }

        #[test]
        fn any_bytes_can_be_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut decoder = InputDecoder::default();
            decoder.push(&bytes);
            decoder.flush();
            prop_assert!(!decoder.is_waiting());
        }
    }
}
