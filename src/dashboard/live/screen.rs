//! The emulated screen of an agent with its history.

use std::cell::OnceCell;
use std::num::NonZeroU16;

use ratatui::buffer::Cell;

use crate::base::terminal::emulator_input::EmulatorInput;
use crate::dashboard::live::damage::{DamageTracker, ScreenDamage};
use crate::dashboard::live::row_cache::RowCache;
use crate::manager::PaneScreen;

/// Lines of history that are kept. At 200 columns they take about 8 MB.
pub(crate) const HISTORY_LINES: usize = 1000;
/// Lines of history that are kept for a tile of the grid, which has up to 16 of them.
pub(crate) const TILE_HISTORY_LINES: usize = 100;

/// Columns that the emulator has at least. With one column, vt100 0.18 panics at a character that is wider than the
/// screen, such as a digit followed by U+FE0F.
const MIN_WIDTH: u16 = 2;

/// The screen of an agent at its true size.
pub(crate) struct LiveScreen {
    parser: vt100::Parser,
    input: EmulatorInput,
    /// Position of the first line of the screen since the beginning. It grows with each line that leaves the top, and is
    /// never less than the number of lines of the history.
    first_line: usize,
    tracker: DamageTracker,
    /// Lines that may have changed since they were drawn.
    damage: ScreenDamage,
    drawn: RowCache,
    /// Number of lines up to the last one with text or the cursor, if it is known.
    content_height: OnceCell<usize>,
}

/// The part of a screen that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Viewport {
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// Lines by which the viewport is scrolled back.
    pub(crate) scroll: usize,
    /// Columns that are cut off on the left.
    pub(crate) shift: u16,
}

impl LiveScreen {
    /// Creates the screen from a capture.
    pub(crate) fn of(capture: &PaneScreen) -> LiveScreen {
        LiveScreen::with_history(capture, HISTORY_LINES)
    }

    /// Creates the screen from a capture, and keeps at most this many lines of history.
    pub(crate) fn with_history(capture: &PaneScreen, history_lines: usize) -> LiveScreen {
        let size = |length: u16| NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN);
        let (height, width) = (size(capture.height), size(capture.width.max(MIN_WIDTH)));
        let mut parser = vt100::Parser::new(height, width, history_lines);
        let mut input = EmulatorInput::default();
        for line in &capture.history {
            parser.process(&input.take(line.as_bytes()));
            parser.process(b"\r\n");
        }
        // The last lines of the history move out of the screen only when more lines follow.
        if !capture.history.is_empty() {
            parser.process(format!("\x1b[{};1H", capture.height).as_bytes());
            let filled = capture.history.len().min(usize::from(capture.height.saturating_sub(1)));
            parser.process("\n".repeat(filled).as_bytes());
        }
        if capture.alternate {
            parser.process(b"\x1b[?1049h");
        }
        for (at, line) in capture.lines.iter().enumerate() {
            parser.process(format!("\x1b[{};1H", at + 1).as_bytes());
            parser.process(&input.take(line.as_bytes()));
        }
        let (column, line) = capture.cursor;
        let visible = if capture.has_cursor { 'h' } else { 'l' };
        parser.process(format!("\x1b[0m\x1b[{};{}H\x1b[?25{visible}", line + 1, column + 1).as_bytes());
        LiveScreen {
            parser,
            input,
            // A program that resets its terminal begins another history, which has no more lines than that.
            first_line: history_lines,
            tracker: DamageTracker::default(),
            damage: ScreenDamage::All,
            drawn: RowCache::default(),
            content_height: OnceCell::new(),
        }
    }

    /// Interprets output of the agent.
    pub(crate) fn process(&mut self, bytes: &[u8]) {
        // The emulator keeps a scrolled view in its place, so the offset shows how many lines were added, also when the
        // history is full.
        self.parser.screen_mut().set_scrollback(1);
        let before = self.parser.screen().scrollback();
        let output = self.input.take(bytes);
        self.tracker.process(&mut self.parser, &output, (self.first_line, &mut self.damage));
        self.content_height.take();
        let screen = self.parser.screen_mut();
        self.first_line += match before {
            0 => screen.scrollback_len(),
            before => screen.scrollback().saturating_sub(before),
        };
        screen.set_scrollback(0);
    }

    /// Replaces the content by a capture. Viewports keep their position.
    pub(crate) fn replace(&mut self, capture: &PaneScreen, history_lines: usize) {
        let first_line = self.first_line;
        *self = LiveScreen { first_line, ..LiveScreen::with_history(capture, history_lines) };
    }

    /// Returns the position of a viewport of this height that is not scrolled, in lines since the beginning. It grows
    /// with the output.
    pub(crate) fn end_position(&self, height: u16) -> usize {
        self.first_line + self.max_scroll(height) - self.parser.screen().scrollback_len()
    }

    /// Returns whether the screen shows the same text as a capture, at the same size.
    pub(crate) fn shows(&self, capture: &PaneScreen) -> bool {
        let shown = self.parser.screen();
        let other = LiveScreen::of(&PaneScreen { history: vec![], ..capture.clone() });
        let other = other.parser.screen();
        shown.size() == other.size()
            && shown.cursor_position() == other.cursor_position()
            && shown.contents_formatted() == other.contents_formatted()
    }

    /// Returns columns and lines of the screen.
    pub(crate) fn size(&self) -> (u16, u16) {
        let (lines, columns) = self.parser.screen().size();
        (columns.get(), lines.get())
    }

    /// Returns the number of lines above a viewport of this height that is not scrolled. Such a viewport shows the end
    /// of a screen that does not fit, and the beginning of one that fits.
    pub(crate) fn max_scroll(&self, height: u16) -> usize {
        let history = self.parser.screen().scrollback_len();
        let content = *self.content_height.get_or_init(|| self.read_content_height());
        (history + content).saturating_sub(height.into()).max(history)
    }

    /// Returns the number of lines of the screen up to the last one with text or the cursor.
    fn read_content_height(&self) -> usize {
        let screen = self.parser.screen();
        let (columns, lines) = self.size();
        let cursor_line = screen.cursor_position().0;
        // Lines above a visible cursor cannot be the last one.
        let first = if screen.hide_cursor() { 0 } else { usize::from(cursor_line) };
        if first + 1 == usize::from(lines) {
            return usize::from(lines);
        }
        let rows = screen.rows(0, columns).enumerate().skip(first);
        let last = rows.filter(|(_, row)| !row.trim().is_empty()).last();
        last.map_or(first, |(line, _)| line) + 1
    }

    /// Calls `draw` with the line and the cells of each visible row that is not blank. `convert` returns the drawn cell
    /// for a column and a cell of the emulator. It must return equal cells for equal arguments, because rows are kept
    /// for the next frame. Returns the position of the cursor, if it is visible.
    pub(crate) fn draw(
        &mut self,
        viewport: Viewport,
        convert: impl Fn(u16, &vt100::Cell) -> Cell,
        mut draw: impl FnMut(u16, &[Cell]),
    ) -> Option<(u16, u16)> {
        self.parser.screen_mut().set_scrollback(0);
        let (columns, lines) = self.size();
        let history = self.parser.screen().scrollback_len();
        let top = self.max_scroll(viewport.height).saturating_sub(viewport.scroll);
        let back = history.saturating_sub(top);
        self.parser.screen_mut().set_scrollback(back);
        let first = top - (history - back);
        let screen = self.parser.screen();
        let height = usize::from(viewport.height).min(usize::from(lines).saturating_sub(first));
        let width = viewport.width.min(columns.saturating_sub(viewport.shift));
        if width > 0 {
            let cells = |line: usize| {
                let line = u16::try_from(first + line).unwrap_or(u16::MAX);
                let cell = |column: u16| screen.cell(line, column + viewport.shift);
                (0..width)
                    .map(|column| cell(column).map_or(Cell::EMPTY, |cell| convert(column, cell)))
                    .collect()
            };
            // A cell is drawn differently in the last column of the viewport.
            let columns = (viewport.shift, viewport.width);
            let position = self.first_line + first - back;
            self.drawn.update(columns, (position, height, &self.damage), cells);
            self.damage = ScreenDamage::NONE;
            let rows = (0..).zip(self.drawn.rows()).filter(|(_, row)| !row.is_empty());
            rows.for_each(|(line, row)| draw(line, row));
        }
        let (line, column) = screen.cursor_position();
        let line = (usize::from(line) + back).checked_sub(first).filter(|line| *line < height)?;
        let column = column.checked_sub(viewport.shift).filter(|column| *column < viewport.width)?;
        let cursor = (column, u16::try_from(line).ok()?);
        (!screen.hide_cursor() && back == 0).then_some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier, Style};

    use super::*;

    fn capture(lines: &[&str], history: &[&str]) -> PaneScreen {
        let text = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let height = u16::try_from(lines.len()).unwrap();
        let (history, lines) = (text(history), text(lines));
        PaneScreen { width: 10, height, cursor: (0, 0), has_cursor: true, alternate: false, history, lines }
    }

    fn converted(_: u16, cell: &vt100::Cell) -> Cell {
        let mut converted = Cell::EMPTY;
        converted.set_symbol(if cell.has_contents() { cell.contents() } else { " " }).set_style(
            Style::new().fg(match cell.fgcolor() {
                vt100::Color::Idx(index) => Color::Indexed(index),
                _ => Color::Reset,
            }),
        );
        if cell.inverse() {
            converted.modifier = Modifier::REVERSED;
        }
        converted
    }

    fn drawn(screen: &mut LiveScreen, viewport: Viewport) -> Vec<String> {
        let mut lines = vec![String::new(); usize::from(viewport.height)];
        screen.draw(viewport, converted, |line, cells| {
            lines[usize::from(line)] = cells.iter().map(Cell::symbol).collect();
        });
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }

    const SMALL: Viewport = Viewport { width: 10, height: 2, scroll: 0, shift: 0 };

    #[test]
    fn a_capture_is_shown_with_its_history_and_updated() {
        let mut screen = LiveScreen::of(&capture(&["three", "four", ""], &["one", "two"]));
        assert_eq!(drawn(&mut screen, SMALL), ["three", "four"]);
        assert_eq!(drawn(&mut screen, Viewport { scroll: 1, ..SMALL }), ["two", "three"]);
        assert_eq!(drawn(&mut screen, Viewport { scroll: 2, ..SMALL }), ["one", "two"]);
        assert_eq!(drawn(&mut screen, Viewport { shift: 2, ..SMALL }), ["ree", "ur"]);
        screen.process(b"\x1b[3;1Hfive\r\nsix");
        assert_eq!(drawn(&mut screen, SMALL), ["five", "six"]);
        assert_eq!(screen.max_scroll(2), 4);
    }

    #[test]
    fn the_position_grows_with_the_output_also_when_the_history_is_full() {
        let mut screen = LiveScreen::of(&capture(&["a", "b"], &[]));
        let before = screen.end_position(2);
        screen.process(b"\x1b[2;1H");
        screen.process("line\r\n".repeat(10).as_bytes());
        assert_eq!(screen.end_position(2), before + 10);
        screen.process("line\r\n".repeat(HISTORY_LINES).as_bytes());
        let before = screen.end_position(2);
        screen.process("line\r\n".repeat(7).as_bytes());
        assert_eq!(screen.end_position(2), before + 7);
    }

    #[test]
    fn a_screen_that_is_larger_than_the_pane_shows_the_end_of_its_content() {
        let mut screen = LiveScreen::of(&capture(&["a", "b", "c", "d", "", ""], &[]));
        assert_eq!(drawn(&mut screen, SMALL), ["c", "d"]);
        let mut screen = LiveScreen::of(&capture(&["a", "", "", "", "", ""], &["old"]));
        assert_eq!(drawn(&mut screen, SMALL), ["a", ""]);
    }

    #[test]
    fn a_screen_equals_its_capture_until_something_is_printed() {
        let capture = capture(&["\x1b[31mred", "b"], &["old"]);
        let mut screen = LiveScreen::of(&capture);
        assert!(screen.shows(&capture));
        screen.process(b"x");
        assert!(!screen.shows(&capture));
    }

    /// Generates output of a program: text, control characters and escape sequences with arbitrary parameters.
    fn output() -> impl Strategy<Value = Vec<u8>> {
        let number = prop_oneof![Just(String::new()), (0..70_000u32).prop_map(|number| number.to_string())];
        let sequence =
            (prop::collection::vec(number, 0..4), "[?>!]?", "[@-~]").prop_map(|(numbers, private, end)| {
                format!("\x1b[{private}{}{end}", numbers.join(";")).into_bytes()
            });
        let text = prop_oneof![
            "[ -~]{0,20}",
            "[日🦀é\u{301}\u{200d}\u{fe0f}\t\r\n\x08\x0b]{0,10}",
            "\x1b[78DEHMc=>]",
            "\x1b\\][0-9;a-z]{0,10}(\x07|\x1b\\\\)",
        ];
        let bytes = prop::collection::vec(any::<u8>(), 0..20);
        let part = prop_oneof![4 => sequence, 4 => text.prop_map(String::into_bytes), 1 => bytes];
        prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    /// Generates output that changes few lines: short texts, and sequences that programs use.
    fn usual_output() -> impl Strategy<Value = Vec<u8>> {
        let sequences = [
            "\x1b[A",
            "\x1b[2A",
            "\x1b[B",
            "\x1b[G",
            "\x1b[3G",
            "\x1b[K",
            "\x1b[2K",
            "\x1b[H",
            "\x1b[3;2H",
            "\x1b[J",
            "\x1b[2J",
            "\x1b[L",
            "\x1b[M",
            "\x1b[2P",
            "\x1b[@",
            "\x1b[X",
            "\x1b[2S",
            "\x1b[T",
            "\x1b[31m",
            "\x1b[m",
            "\x1b7",
            "\x1b8",
            "\x1bM",
            "\x1bc",
            "\x1b[?25l",
            "\x1b[?1049h",
            "\x1b[?1049l",
            "\x1b[2;4r",
            "\x1b[r",
            "\x1b[3J",
            "\x1b[b",
            "\x1b]0;t\x07",
            "\x1b]0;t\x1b\\",
            "\x1b]0;t\x1bc",
            "\x1b[1\n",
            "\x1b[?1;>x",
            "\x1bPq\x1b\\",
            "\x1bX\n\x18",
            "\x1b[",
        ];
        let sequence = prop::sample::select(sequences.to_vec()).prop_map(|bytes| bytes.as_bytes().to_vec());
        let text =
            prop_oneof!["[a-c日 ]{0,12}", "(\r\n|\n){1,3}", "[a-c]{1,3}\r\n", "[\t\x08\x0be\u{301}]{1,3}"];
        let part = prop_oneof![1 => sequence, 2 => text.prop_map(String::into_bytes)];
        prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn lines_that_are_kept_from_the_last_frame_are_still_the_same(
            pieces in prop::collection::vec((usual_output(), 0..3usize), 1..30),
            history_lines in prop::sample::select(vec![0, 2, 60]),
        ) {
            let capture = capture(&["one", "two", "", "", "", ""], &["old"]);
            let mut screen = LiveScreen::with_history(&capture, history_lines);
            for (piece, scroll) in pieces {
                screen.process(&piece);
                let viewport = Viewport { width: 10, height: 4, scroll, shift: 0 };
                let kept = drawn(&mut screen, viewport);
                let damage = std::mem::replace(&mut screen.damage, ScreenDamage::All);
                prop_assert_eq!(damage, ScreenDamage::NONE);
                prop_assert_eq!(kept, drawn(&mut screen, viewport), "after {:?}", String::from_utf8_lossy(&piece));
            }
        }
    }

    proptest! {
        #[test]
        fn no_output_makes_the_screen_panic(
            pieces in prop::collection::vec(output(), 1..4),
            (width, height) in (1..12u16, 1..6u16),
            (scroll, shift) in (0..8usize, 0..8u16),
        ) {
            let lines = vec![String::new(); usize::from(height)];
            let capture = PaneScreen { width, ..capture(&lines.iter().map(String::as_str).collect::<Vec<_>>(), &["old"]) };
            let mut screen = LiveScreen::with_history(&capture, 3);
            for piece in pieces {
                screen.process(&piece);
                for (width, height) in [(1, 1), (width, height), (40, 20)] {
                    let viewport = Viewport { width, height, scroll, shift };
                    let mut rows = Vec::new();
                    let cursor = screen.draw(viewport, converted, |line, cells| {
                        assert!(cells.len() <= usize::from(width) && line < height);
                        rows.push((line, cells.to_vec()));
                    });
                    screen.damage = ScreenDamage::All;
                    let mut uncached = Vec::new();
                    screen.draw(viewport, converted, |line, cells| uncached.push((line, cells.to_vec())));
                    prop_assert_eq!(rows, uncached, "rows of the last frame are like rows that are read again");
                    prop_assert!(cursor.is_none_or(|(column, line)| column < width && line < height));
                }
            }
        }
    }
}
