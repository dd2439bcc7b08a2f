//! A screen as lines of runs: text with the same colours and attributes. The page draws them as real text.

use std::num::NonZeroU16;

use serde::Serialize;

use crate::base::terminal::emulator_input::EmulatorInput;
use crate::manager::PaneScreen;

/// Columns that the emulator has at least. With one column, vt100 0.18 panics at a wide character.
pub(super) const MIN_WIDTH: u16 = 2;
/// Lines that the emulator has at most, with the history.
const MAX_LINES: usize = 2000;

/// A screen with its history. The field names are used by the page.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ScreenText {
    /// Width of the terminal in columns.
    pub(super) width: u16,
    /// Column and line of the cursor in `lines`, if it is visible.
    pub(super) cursor: Option<(u16, usize)>,
    /// Lines of the history and of the screen, without empty lines at the end.
    pub(super) lines: Vec<Vec<TextRun>>,
}

/// Text with the same colours and attributes.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TextRun {
    text: String,
    #[serde(flatten)]
    look: RunStyle,
}

/// Colours and attributes; those that are not set are left out.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
struct RunStyle {
    #[serde(skip_serializing_if = "Option::is_none")]
    fg: Option<RunColor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bg: Option<RunColor>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bold: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dim: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    italic: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    underline: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inverse: bool,
}

/// A colour: a number of the palette, or red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum RunColor {
    Palette(u8),
    Rgb([u8; 3]),
}

impl ScreenText {
    /// Converts a capture.
    pub(super) fn of(capture: &PaneScreen) -> ScreenText {
        let left_out = (capture.history.len() + capture.lines.len()).saturating_sub(MAX_LINES);
        let all: Vec<&String> = capture.history.iter().chain(&capture.lines).skip(left_out).collect();
        let history = all.len().saturating_sub(capture.lines.len());
        let size = |length: u16| NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN);
        let height = u16::try_from(all.len()).unwrap_or(u16::MAX).max(1);
        let mut parser = vt100::Parser::new(size(height), size(capture.width.max(MIN_WIDTH)), 0);
        let mut input = EmulatorInput::default();
        for (at, line) in all.iter().enumerate() {
            parser.process(format!("\x1b[{};1H", at + 1).as_bytes());
            parser.process(&input.take(line.as_bytes()));
        }
        let lines = (0..height).map(|line| line_of(parser.screen(), line, capture.width)).collect();
        let (column, line) = capture.cursor;
        let cursor = capture.has_cursor.then(|| (column, history + usize::from(line)));
        ScreenText { width: capture.width, cursor, lines }.without_empty_end()
    }

    /// Converts the screen of an emulator, below the lines of a history.
    pub(super) fn of_emulator(history: Vec<Vec<TextRun>>, screen: &vt100::Screen, width: u16) -> ScreenText {
        let (height, _) = screen.size();
        let (line, column) = screen.cursor_position();
        let cursor = (!screen.hide_cursor()).then(|| (column, history.len() + usize::from(line)));
        let lines = (0..height.get()).map(|line| line_of(screen, line, width));
        ScreenText { width, cursor, lines: history.into_iter().chain(lines).collect() }.without_empty_end()
    }

    /// Removes empty lines at the end, up to that of the cursor.
    fn without_empty_end(mut self) -> ScreenText {
        let needed = self.cursor.map_or(0, |(_, line)| line + 1);
        while self.lines.len() > needed && self.lines.last().is_some_and(Vec::is_empty) {
            self.lines.pop();
        }
        self
    }
}

/// Returns the runs of a line, without blank cells at its end.
fn line_of(screen: &vt100::Screen, line: u16, width: u16) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    for cell in (0..width).filter_map(|column| screen.cell(line, column)) {
        if cell.is_wide_continuation() {
            continue;
        }
        let look = RunStyle::of(cell);
        let text = if cell.has_contents() { cell.contents() } else { " " };
        match runs.last_mut().filter(|run| run.look == look) {
            Some(run) => run.text.push_str(text),
            None => runs.push(TextRun { text: text.to_owned(), look }),
        }
    }
    if let Some(last) = runs.last_mut().filter(|run| run.look == RunStyle::default()) {
        last.text.truncate(last.text.trim_end().len());
        if last.text.is_empty() {
            runs.pop();
        }
    }
    runs
}

impl RunStyle {
    fn of(cell: &vt100::Cell) -> RunStyle {
        RunStyle {
            fg: color(cell.fgcolor()),
            bg: color(cell.bgcolor()),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }
}

fn color(color: vt100::Color) -> Option<RunColor> {
    match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(number) => Some(RunColor::Palette(number)),
        vt100::Color::Rgb(red, green, blue) => Some(RunColor::Rgb([red, green, blue])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn capture(history: &[&str], lines: &[&str]) -> PaneScreen {
        let text = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let height = u16::try_from(lines.len()).unwrap();
        let (history, lines) = (text(history), text(lines));
        PaneScreen { width: 20, height, cursor: (2, 1), has_cursor: true, alternate: false, history, lines }
    }

    #[test]
    fn runs_have_their_colours_and_the_cursor_counts_the_history() {
        let screen = ScreenText::of(&capture(&["old"], &["\x1b[1;31mred\x1b[0m plain", "$ ", "", ""]));
        assert_eq!(
            serde_json::to_value(&screen).unwrap(),
            json!({
                "width": 20,
                "cursor": [2, 2],
                "lines": [
                    [{ "text": "old" }],
                    [{ "text": "red", "fg": 1, "bold": true }, { "text": " plain" }],
                    [{ "text": "$" }],
                ],
            })
        );
    }

    #[test]
    fn markup_and_wide_characters_stay_text() {
        let screen = ScreenText::of(&capture(&[], &["<b>日本</b>\x1b[38;2;1;2;3m&", ""]));
        let lines = serde_json::to_value(&screen.lines).unwrap();
        assert_eq!(lines[0], json!([{ "text": "<b>日本</b>" }, { "text": "&", "fg": [1, 2, 3] }]));
    }

    #[test]
    fn a_very_long_history_is_cut() {
        let history = vec!["x"; 5000];
        let screen = ScreenText::of(&capture(&history, &["a", "b"]));
        assert_eq!(screen.lines.len(), MAX_LINES);
        assert_eq!(screen.cursor, Some((2, MAX_LINES - 1)));
    }
}
