//! Colours of the dashboard, for dark and light backgrounds and for terminals with few or no colours.

use ratatui::style::{Color, Modifier, Style};

use crate::dashboard::diff::colours::Token;
use crate::env::Env;
use crate::model::{DashboardConfig, RoleColors, Status, ThemeColor, ThemeName, ThemeRole};

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColorDepth {
    None,
    Ansi16,
    Indexed256,
    True,
}

/// The colours of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) depth: ColorDepth,
    is_light: bool,
    /// Whether the background of the terminal decides between light and dark.
    is_automatic: bool,
    /// Colours that the user has changed.
    colors: RoleColors,
}

/// The background of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Dark,
    Light,
}

impl Theme {
    /// Chooses the theme from the configuration and the environment.
    pub(crate) fn choose(config: &DashboardConfig, env: &Env) -> Theme {
        let name = config.theme;
        let text =
            |key: &str| env.var(key).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        let depth = match (text("COLORTERM").as_str(), text("TERM").as_str()) {
            _ if name == ThemeName::Plain || !text("NO_COLOR").is_empty() => ColorDepth::None,
            ("truecolor" | "24bit", _) => ColorDepth::True,
            (_, term) if term.contains("direct") => ColorDepth::True,
            (_, term) if term.contains("256") => ColorDepth::Indexed256,
            _ => ColorDepth::Ansi16,
        };
        // `COLORFGBG` is `foreground;background`; 7 and 15 are light backgrounds.
        let background = text("COLORFGBG").rsplit(';').next().and_then(|number| number.parse::<u8>().ok());
        let is_light = match name {
            ThemeName::Light => true,
            ThemeName::Auto => matches!(background, Some(7 | 15)),
            ThemeName::Dark | ThemeName::Plain => false,
        };
        let is_automatic = name == ThemeName::Auto && depth != ColorDepth::None;
        Theme { depth, is_light, is_automatic, colors: config.colors }
    }

    /// Returns whether the theme depends on the background of the terminal.
    pub(crate) fn is_automatic(self) -> bool {
        self.is_automatic
    }

    /// Returns the theme for a background that the terminal has reported.
    pub(crate) fn on(self, background: Background) -> Theme {
        match self.is_automatic {
            true => Theme { is_light: background == Background::Light, ..self },
            false => self,
        }
    }

    /// The theme without colours, for tests.
    #[cfg(test)]
    pub(crate) const PLAIN: Theme =
        Theme { depth: ColorDepth::None, is_light: false, is_automatic: false, colors: RoleColors::NONE };

    /// Returns the colour of a role that the user has changed, as the terminal can show it.
    fn own(self, role: ThemeRole) -> Option<Color> {
        let color = match self.colors.of(role)? {
            ThemeColor::Indexed(index) => vt100::Color::Idx(index),
            ThemeColor::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
        };
        (self.depth != ColorDepth::None).then(|| self.fitting(color))
    }

    fn foreground(self, role: ThemeRole, (dark, light): (u8, u8), basic: Color) -> Style {
        if let Some(color) = self.own(role) {
            return Style::new().fg(color);
        }
        match self.depth {
            ColorDepth::None => Style::new(),
            ColorDepth::Ansi16 => Style::new().fg(basic),
            ColorDepth::Indexed256 | ColorDepth::True => {
                Style::new().fg(Color::Indexed(if self.is_light { light } else { dark }))
            }
        }
    }

    /// Text of less importance.
    pub(crate) fn dim(self) -> Style {
        match self.depth {
            ColorDepth::None => Style::new().add_modifier(Modifier::DIM),
            _ => self.foreground(ThemeRole::Dim, (244, 242), Color::DarkGray),
        }
    }

    /// Head lines, chips and keys.
    pub(crate) fn accent(self) -> Style {
        self.foreground(ThemeRole::Accent, (111, 25), Color::Blue).add_modifier(Modifier::BOLD)
    }

    /// What needs the user.
    pub(crate) fn attention(self) -> Style {
        self.foreground(ThemeRole::Attention, (215, 130), Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// Errors and crashed agents.
    pub(crate) fn bad(self) -> Style {
        self.foreground(ThemeRole::Bad, (203, 160), Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Successes and working agents.
    pub(crate) fn good(self) -> Style {
        self.foreground(ThemeRole::Good, (114, 28), Color::Green)
    }

    /// The selected row.
    pub(crate) fn selected(self) -> Style {
        if let Some(color) = self.own(ThemeRole::Selected) {
            return Style::new().bg(color).add_modifier(Modifier::BOLD);
        }
        match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => Style::new().add_modifier(Modifier::REVERSED),
            _ => Style::new()
                .bg(Color::Indexed(if self.is_light { 254 } else { 237 }))
                .add_modifier(Modifier::BOLD),
        }
    }

    /// The active tab and pressed chips.
    pub(crate) fn active(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The style of added lines.
    pub(crate) fn added(self) -> Style {
        self.tinted(ThemeRole::Added, (22, 194), Color::Green)
    }

    /// The style of removed lines.
    pub(crate) fn removed(self) -> Style {
        self.tinted(ThemeRole::Removed, (52, 224), Color::Red)
    }

    /// The sign and the number of added lines.
    pub(crate) fn added_sign(self) -> Style {
        self.foreground(ThemeRole::Good, (114, 28), Color::Green)
    }

    /// The sign and the number of removed lines.
    pub(crate) fn removed_sign(self) -> Style {
        self.foreground(ThemeRole::Bad, (203, 160), Color::Red)
    }

    /// Returns a background, or a foreground if the terminal has too few colours for words on it.
    fn tinted(self, role: ThemeRole, (dark, light): (u8, u8), basic: Color) -> Style {
        if let Some(color) = self.own(role) {
            return Style::new().bg(color);
        }
        match self.depth {
            ColorDepth::None => Style::new(),
            ColorDepth::Ansi16 => Style::new().fg(basic),
            _ => Style::new().bg(Color::Indexed(if self.is_light { light } else { dark })),
        }
    }

    /// Returns the style of a word of source code. With 16 colours, only added and removed lines have one.
    pub(crate) fn token(self, token: Token) -> Style {
        let (dark, light) = match token {
            Token::Comment => (245, 244),
            Token::Text => (150, 64),
            Token::Number => (215, 130),
            Token::Keyword => (176, 127),
            Token::Type => (116, 31),
            Token::Function => (111, 25),
        };
        match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => Style::new(),
            _ => Style::new().fg(Color::Indexed(if self.is_light { light } else { dark })),
        }
    }

    /// The style of a status.
    pub(crate) fn status(self, status: Status) -> Style {
        match status {
            Status::Waiting => self.attention(),
            Status::Crashed | Status::Lost => self.bad(),
            Status::Working | Status::Starting => self.good(),
            Status::Idle => Style::new(),
            Status::Exited | Status::Stopped | Status::Hibernated | Status::Unknown => self.dim(),
        }
    }

    /// Converts a colour of an agent's screen to one that the terminal has.
    pub(crate) fn fitting(self, color: vt100::Color) -> Color {
        match (color, self.depth) {
            (vt100::Color::Default, _) | (_, ColorDepth::None) => Color::Reset,
            (vt100::Color::Idx(index), ColorDepth::Ansi16) => Color::Indexed(to_ansi(index)),
            (vt100::Color::Idx(index), _) => Color::Indexed(index),
            (vt100::Color::Rgb(red, green, blue), ColorDepth::True) => Color::Rgb(red, green, blue),
            (vt100::Color::Rgb(red, green, blue), ColorDepth::Indexed256) => {
                Color::Indexed(cube(red, green, blue))
            }
            (vt100::Color::Rgb(red, green, blue), ColorDepth::Ansi16) => {
                Color::Indexed(to_ansi(cube(red, green, blue)))
            }
        }
    }
}

/// Returns the nearest colour of the cube of 216 colours.
fn cube(red: u8, green: u8, blue: u8) -> u8 {
    let level = |value: u8| u8::try_from((u16::from(value) * 5 + 127) / 255).unwrap_or(5);
    16 + 36 * level(red) + 6 * level(green) + level(blue)
}

/// Returns a similar colour of the 16 basic ones.
fn to_ansi(index: u8) -> u8 {
    match index {
        0..=15 => index,
        232..=243 => 8,
        244..=255 => 7,
        _ => {
            let at = index - 16;
            let bit = |level: u8, value: u8| if level >= 2 { value } else { 0 };
            let (red, green, blue) = (at / 36, at / 6 % 6, at % 6);
            let bright = if red.max(green).max(blue) >= 4 { 8 } else { 0 };
            bright + bit(red, 1) + bit(green, 2) + bit(blue, 4)
        }
    }
}

/// The shape of a status. Shapes differ from each other without colour.
pub(crate) fn shape(status: Status) -> &'static str {
    match status {
        Status::Waiting => "?",
        Status::Working => "●",
        Status::Starting => "◌",
        Status::Idle => "○",
        Status::Crashed => "✗",
        Status::Lost => "!",
        Status::Exited => "✓",
        Status::Stopped => "■",
        Status::Hibernated => "z",
        Status::Unknown => "~",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn every_status_has_a_shape_of_its_own() {
        let shapes: HashSet<&str> = Status::ALL.into_iter().map(shape).collect();
        assert_eq!(shapes.len(), Status::ALL.len());
        assert!(shapes.iter().all(|shape| shape.width() == 1));
    }

    #[test]
    fn colours_of_agents_fit_the_terminal() {
        let theme = |depth| Theme { depth, ..Theme::PLAIN };
        let red = vt100::Color::Rgb(255, 0, 0);
        assert_eq!(theme(ColorDepth::True).fitting(red), Color::Rgb(255, 0, 0));
        assert_eq!(theme(ColorDepth::Indexed256).fitting(red), Color::Indexed(196));
        assert_eq!(theme(ColorDepth::Ansi16).fitting(red), Color::Indexed(9));
        assert_eq!(theme(ColorDepth::None).fitting(red), Color::Reset);
    }

    #[test]
    fn the_user_changes_the_colours_of_roles() {
        let mut colors = RoleColors::default();
        colors.set(ThemeRole::Accent, ThemeColor::Rgb(255, 0, 0));
        colors.set(ThemeRole::Selected, ThemeColor::Indexed(17));
        let theme = |depth| Theme { depth, colors, ..Theme::PLAIN };
        assert_eq!(theme(ColorDepth::True).accent().fg, Some(Color::Rgb(255, 0, 0)));
        assert_eq!(theme(ColorDepth::Indexed256).accent().fg, Some(Color::Indexed(196)));
        assert_eq!(theme(ColorDepth::Indexed256).selected().bg, Some(Color::Indexed(17)));
        assert_eq!(theme(ColorDepth::Indexed256).bad().fg, Some(Color::Indexed(203)), "it was not changed");
        assert_eq!(theme(ColorDepth::None).accent().fg, None, "no colours at all");
    }

    #[test]
    fn the_background_of_the_terminal_decides_only_if_the_theme_is_automatic() {
        let automatic = Theme { depth: ColorDepth::Indexed256, is_automatic: true, ..Theme::PLAIN };
        assert_eq!(automatic.on(Background::Light).accent().fg, Some(Color::Indexed(25)));
        assert_eq!(
            automatic.on(Background::Light).on(Background::Dark).accent().fg,
            Some(Color::Indexed(111))
        );
        let dark = Theme { is_automatic: false, ..automatic };
        assert_eq!(dark.on(Background::Light), dark);
    }
}
