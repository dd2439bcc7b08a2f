//! The keys of control sequences, such as `ESC [ 1 ; 5 A`.

use crate::base::key_press::{KeyName, KeyPress, NamedKey};

/// Final byte of keys whose first number says which key it is.
const NUMBERED: u8 = b'~';
/// Final byte of keys whose first number is a character.
const CHARACTER: u8 = b'u';
/// First number of a key that xterm reports as a character with modifiers.
const OTHER_KEY: u32 = 27;
/// Kind of an event that reports that a key was released.
const RELEASE: u32 = 3;

/// The numbers of a control sequence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Params {
    numbers: [u32; 3],
    /// Kind of the event, after a colon.
    kind: u32,
}

impl Params {
    /// Parses `1;5:3`. Numbers that are missing are 0.
    pub(super) fn of(text: &str) -> Params {
        let mut params = Params::default();
        for (number, part) in params.numbers.iter_mut().zip(text.split(';')) {
            let mut parts = part.split(':').map(|part| part.parse().unwrap_or(0));
            *number = parts.next().unwrap_or(0);
            params.kind = parts.next().unwrap_or(params.kind);
        }
        params
    }

    /// Returns a key with the modifiers of a number, which counts them from 1.
    fn press(key: KeyName, modifiers: u32) -> KeyPress {
        let bits = modifiers.saturating_sub(1);
        // Shift is part of a character.
        let shift = bits & 1 != 0 && !matches!(key, KeyName::Char(_) | KeyName::Named(NamedKey::BackTab));
        KeyPress { key, shift, alt: bits & 2 != 0, ctrl: bits & 4 != 0 }
    }
}

/// Returns the key of a control sequence with this final byte.
pub(super) fn control_sequence(params: Params, last: u8) -> Option<KeyPress> {
    let [first, second, third] = params.numbers;
    match last {
        _ if params.kind == RELEASE => None,
        NUMBERED if first == OTHER_KEY => Some(Params::press(character(third)?, second)),
        NUMBERED => Some(Params::press(numbered(first)?, second)),
        CHARACTER => Some(Params::press(character(first)?, second)),
        _ => function_key(last, params),
    }
}

/// Returns the key that a letter stands for at the end of a sequence.
pub(super) fn function_key(letter: u8, params: Params) -> Option<KeyPress> {
    let key = match letter {
        b'A' => KeyName::Named(NamedKey::Up),
        b'B' => KeyName::Named(NamedKey::Down),
        b'C' => KeyName::Named(NamedKey::Right),
        b'D' => KeyName::Named(NamedKey::Left),
        b'H' => KeyName::Named(NamedKey::Home),
        b'F' => KeyName::Named(NamedKey::End),
        b'Z' => KeyName::Named(NamedKey::BackTab),
        // Enter of the number pad.
        b'M' => KeyName::Named(NamedKey::Enter),
        b'P'..=b'S' => KeyName::Function(letter - b'P' + 1),
        _ => return None,
    };
    Some(Params::press(key, params.numbers[1]))
}

fn numbered(number: u32) -> Option<KeyName> {
    let named = match number {
        1 | 7 => NamedKey::Home,
        2 => NamedKey::Insert,
        3 => NamedKey::Delete,
        4 | 8 => NamedKey::End,
        5 => NamedKey::PageUp,
        6 => NamedKey::PageDown,
        _ => {
            // The numbers have gaps, as on the VT220.
            let gaps = match number {
                11..=15 => 10,
                17..=21 => 11,
                23..=26 => 12,
                28..=29 => 13,
                31..=34 => 14,
                _ => return None,
            };
            return u8::try_from(number - gaps).ok().map(KeyName::Function);
        }
    };
    Some(KeyName::Named(named))
}

fn character(code: u32) -> Option<KeyName> {
    Some(match code {
        9 => KeyName::Named(NamedKey::Tab),
        13 => KeyName::Named(NamedKey::Enter),
        27 => KeyName::Named(NamedKey::Escape),
        127 => KeyName::Named(NamedKey::Backspace),
        _ => KeyName::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}
