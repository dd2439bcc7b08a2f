//! Keys by name, as users write them in `config.toml` and as help shows them: `q`, `C-k`, `M-Enter`, `PageUp`, `F2`.
//! The names are those of tmux.

use std::fmt;
use std::str::FromStr;

/// One key with its modifiers. Shift is part of a character: `S-a` is `A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyPress {
    /// The key without modifiers.
    pub key: KeyName,
    /// Whether Control is held.
    pub ctrl: bool,
    /// Whether Alt is held.
    pub alt: bool,
    /// Whether Shift is held, for keys that are not characters.
    pub shift: bool,
}

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyName {
    /// A character, including the space.
    Char(char),
    /// The function key with this number.
    Function(u8),
    /// A key with a name of its own, as an index into the table of names.
    Named(NamedKey),
}

/// Keys that are neither characters nor function keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamedKey {
    /// The Enter or Return key.
    Enter,
    /// The Escape key.
    Escape,
    /// The tabulator key.
    Tab,
    /// Shift and the tabulator key.
    BackTab,
    /// The key that deletes backwards.
    Backspace,
    /// The key that deletes forwards.
    Delete,
    /// The Insert key.
    Insert,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The Home key.
    Home,
    /// The End key.
    End,
    /// The key that scrolls a page up.
    PageUp,
    /// The key that scrolls a page down.
    PageDown,
}

/// The names of keys: the first name of a key is the one that tmux and help use.
const NAMES: [(&str, NamedKey); 20] = [
    ("Enter", NamedKey::Enter),
    ("Escape", NamedKey::Escape),
    ("Tab", NamedKey::Tab),
    ("BTab", NamedKey::BackTab),
    ("BSpace", NamedKey::Backspace),
    ("DC", NamedKey::Delete),
    ("IC", NamedKey::Insert),
    ("Up", NamedKey::Up),
    ("Down", NamedKey::Down),
    ("Left", NamedKey::Left),
    ("Right", NamedKey::Right),
    ("Home", NamedKey::Home),
    ("End", NamedKey::End),
    ("PageUp", NamedKey::PageUp),
    ("PageDown", NamedKey::PageDown),
    ("Esc", NamedKey::Escape),
    ("BackTab", NamedKey::BackTab),
    ("Backspace", NamedKey::Backspace),
    ("Delete", NamedKey::Delete),
    ("Insert", NamedKey::Insert),
];

impl KeyPress {
    /// Returns a character without modifiers.
    pub const fn char(c: char) -> KeyPress {
        KeyPress { key: KeyName::Char(c), ctrl: false, alt: false, shift: false }
    }

    /// Returns a character with Control.
    pub const fn ctrl(c: char) -> KeyPress {
        KeyPress { key: KeyName::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// Returns a named key without modifiers.
    pub const fn named(key: NamedKey) -> KeyPress {
        KeyPress { key: KeyName::Named(key), ctrl: false, alt: false, shift: false }
    }

    /// Returns the character if the key types one.
    pub fn typed(self) -> Option<char> {
        match self.key {
            KeyName::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (is_held, prefix) in [(self.ctrl, "C-"), (self.alt, "M-"), (self.shift, "S-")] {
            f.write_str(if is_held { prefix } else { "" })?;
        }
        match self.key {
            KeyName::Char(' ') => f.write_str("Space"),
            KeyName::Char(c) => write!(f, "{c}"),
            KeyName::Function(number) => write!(f, "F{number}"),
            KeyName::Named(key) => {
                f.write_str(NAMES.iter().find(|(_, named)| *named == key).map_or("", |(name, _)| name))
            }
        }
    }
}

/// Error for a text that is not the name of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key such as \"q\", \"C-k\", \"M-x\", \"Enter\", \"PageUp\" or \"F2\"")]
pub struct UnknownKey(String);

impl FromStr for KeyPress {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<KeyPress, UnknownKey> {
        let (mut rest, mut press) = (text, KeyPress::char(' '));
        loop {
            let held = match rest.get(..2) {
                Some("C-") => &mut press.ctrl,
                Some("M-") => &mut press.alt,
                Some("S-") => &mut press.shift,
                _ => break,
            };
            // `C-` alone would be the key `-` with a modifier that is missing.
            if rest.len() == 2 {
                break;
            }
            *held = true;
            rest = &rest[2..];
        }
        let unknown = || UnknownKey(text.escape_debug().to_string());
        let mut characters = rest.chars();
        press.key = match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_control() => KeyName::Char(c),
            (Some(_), _) => named(rest).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        };
        if let KeyName::Char(c) = press.key {
            // Terminals report neither Shift with a character nor the case of a character with Control.
            let upper = if press.shift { c.to_uppercase().next().unwrap_or(c) } else { c };
            press.key = KeyName::Char(if press.ctrl { c.to_ascii_lowercase() } else { upper });
            press.shift = false;
        }
        Ok(press)
    }
}

fn named(text: &str) -> Option<KeyName> {
    let is = |name: &str| name.eq_ignore_ascii_case(text);
    if is("Space") {
        return Some(KeyName::Char(' '));
    }
    let function = text.strip_prefix(['F', 'f']).and_then(|number| number.parse().ok());
    if let Some(number @ 1..=12) = function {
        return Some(KeyName::Function(number));
    }
    NAMES.iter().find(|(name, _)| is(name)).map(|(_, key)| KeyName::Named(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys_are_read_and_written() {
        for (text, written) in [
            ("q", "q"),
            ("?", "?"),
            ("C-k", "C-k"),
            ("C-K", "C-k"),
            ("C-]", "C-]"),
            ("S-a", "A"),
            ("M-Enter", "M-Enter"),
            ("esc", "Escape"),
            ("Space", "Space"),
            (" ", "Space"),
            ("S-Left", "S-Left"),
            ("F12", "F12"),
            ("-", "-"),
            ("C--", "C--"),
            ("pageup", "PageUp"),
        ] {
            let press: KeyPress = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(press.to_string(), written);
            assert_eq!(press.to_string().parse(), Ok(press));
        }
        for text in ["", "C-", "qq", "F13", "Hyper-x", "\u{1b}"] {
            assert!(text.parse::<KeyPress>().is_err(), "{text:?}");
        }
    }
}
