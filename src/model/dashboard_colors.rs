//! Colours of the dashboard that the user has changed, in `[dashboard.colors]` of `config.toml`.

use std::str::FromStr;

/// A part of the screen that has a colour of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeRole {
    /// Head lines, chips and keys.
    Accent,
    /// Text of less importance.
    Dim,
    /// What needs the user.
    Attention,
    /// Errors and crashed agents.
    Bad,
    /// Successes and working agents.
    Good,
    /// Background of the selected row.
    Selected,
    /// Background of added lines.
    Added,
    /// Background of removed lines.
    Removed,
}

impl ThemeRole {
    /// All roles with their names in `config.toml`.
    pub const ALL: [(&'static str, ThemeRole); 8] = [
        ("accent", ThemeRole::Accent),
        ("dim", ThemeRole::Dim),
        ("attention", ThemeRole::Attention),
        ("bad", ThemeRole::Bad),
        ("good", ThemeRole::Good),
        ("selected", ThemeRole::Selected),
        ("added", ThemeRole::Added),
        ("removed", ThemeRole::Removed),
    ];
}

/// A colour of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeColor {
    /// One of the 256 colours; the first 16 are those of the terminal's own palette.
    Indexed(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

/// Names of the first eight colours. The next eight are the same with `bright-` before them.
const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl FromStr for ThemeColor {
    type Err = ();

    fn from_str(text: &str) -> Result<ThemeColor, ()> {
        if let Some(digits) = text.strip_prefix('#') {
            let is_hex = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex).ok_or(())?;
            let [_, red, green, blue] = number.to_be_bytes();
            return Ok(ThemeColor::Rgb(red, green, blue));
        }
        let (name, bright) = match text.strip_prefix("bright-") {
            Some(name) => (name, 8),
            None => (text, 0),
        };
        let named = (bright..).zip(NAMES).find(|(_, known)| *known == name).map(|(index, _)| index);
        named.or_else(|| text.parse().ok()).map(ThemeColor::Indexed).ok_or(())
    }
}

/// The colours of the roles that the user has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoleColors([Option<ThemeColor>; ThemeRole::ALL.len()]);

impl RoleColors {
    /// No colour is changed.
    pub const NONE: RoleColors = RoleColors([None; ThemeRole::ALL.len()]);

    /// Returns the colour of a role, if it was changed.
    pub fn of(&self, role: ThemeRole) -> Option<ThemeColor> {
        ThemeRole::ALL.iter().zip(self.0).find(|((_, known), _)| *known == role).and_then(|(_, color)| color)
    }

    /// Changes the colour of a role.
    pub fn set(&mut self, role: ThemeRole, color: ThemeColor) {
        for ((_, known), own) in ThemeRole::ALL.iter().zip(&mut self.0) {
            if *known == role {
                *own = Some(color);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_names_numbers_or_hexadecimal() {
        for (text, color) in [
            ("black", Some(ThemeColor::Indexed(0))),
            ("bright-white", Some(ThemeColor::Indexed(15))),
            ("111", Some(ThemeColor::Indexed(111))),
            ("#ff8000", Some(ThemeColor::Rgb(255, 128, 0))),
            ("#ff800", None),
            ("#+f8000", None),
            ("256", None),
            ("bright-111", None),
            ("pink", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), color, "{text}");
        }
    }
}
