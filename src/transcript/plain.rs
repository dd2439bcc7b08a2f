//! Converts recorded output to the text that the terminal showed, line by line. Only the last state of a redrawn area
//! remains, and wrapped lines are joined. Works on a stream: it holds one screen in memory, regardless of the length of
//! the transcript.

mod lines;

use std::io::{self, Read, Write};
use std::num::NonZeroU16;

use vt100::Parser;

use super::scan::{ErasedArea, ModeSequence, Scanner};
use crate::base::terminal::emulator_input::EmulatorInput;
use crate::model::without_deception;
use lines::ScrolledLines;

/// Number of bytes to process at once. It is small because a repeat sequence of eight bytes can print 65535 characters.
const STEP: usize = 4096;

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Number of lines on the screen.
    pub rows: u16,
    /// Number of columns in a line.
    pub cols: u16,
}

impl TerminalSize {
    /// Clamps a number of rows or columns: with less than two, a wide character does not fit; no real terminal has more
    /// than a thousand.
    fn sane(value: u16) -> NonZeroU16 {
        NonZeroU16::new(value.clamp(2, 1000)).unwrap_or(NonZeroU16::MIN)
    }
}

/// Writes the text as a terminal of this size showed it.
///
/// The alternate screen appears once, in the state in which the program left it, after the output that was printed
/// before it.
pub fn plain(mut input: impl Read, out: &mut impl Write, size: TerminalSize) -> io::Result<()> {
    let mut terminal = LineEmulator::new(size);
    let mut page = Page { out, blanks: 0, in_line: false };
    let mut buffer = vec![0; 16 * STEP];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        for piece in buffer[..count].chunks(STEP) {
            terminal.take(piece);
            page.print(&terminal.lines().done())?;
        }
    }
    terminal.finish();
    page.print(&terminal.lines().done())
}

/// A terminal emulator that keeps the lines that scroll off the top of the screen.
struct LineEmulator {
    parser: Parser<ScrolledLines>,
    scanner: Scanner,
    input: EmulatorInput,
    /// Number of rows that precede the current alternate screen in the text.
    entered: u64,
}

impl LineEmulator {
    fn new(size: TerminalSize) -> LineEmulator {
        let (rows, cols) = (TerminalSize::sane(size.rows), TerminalSize::sane(size.cols));
        // No scrollback: a line that leaves the screen is passed on immediately.
        let parser = Parser::new_with_callbacks(rows, cols, 0, ScrolledLines::default());
        LineEmulator { parser, scanner: Scanner::default(), input: EmulatorInput::default(), entered: 0 }
    }

    fn lines(&mut self) -> &mut ScrolledLines {
        self.parser.callbacks_mut()
    }

    fn take(&mut self, bytes: &[u8]) {
        let piece = self.input.take(bytes);
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let (taken, sequence) = self.scanner.advance(rest);
            let (now, later) = rest.split_at(taken);
            match sequence {
                None => self.parser.process(now),
                Some(sequence) => {
                    // The last byte executes the sequence, so content that it would erase is saved before that byte.
                    let (most, last) = now.split_at(taken - 1);
                    self.parser.process(most);
                    self.before(&sequence);
                    self.parser.process(last);
                    self.after(&sequence);
                }
            }
            rest = later;
        }
    }

    fn before(&mut self, sequence: &ModeSequence) {
        match sequence {
            ModeSequence::On(modes) if alternate(modes) => {
                if !self.parser.screen().alternate_screen() {
                    self.entered = self.written();
                }
                // A taller screen must not restore lines that have been passed on already as blank lines.
                self.parser.screen_mut().clear_scrollback();
            }
            ModeSequence::Erase(what) if !self.parser.screen().alternate_screen() => {
                let from = match what {
                    ErasedArea::All => self.lines().scrolled_rows(),
                    ErasedArea::Below => self.rows_above(),
                };
                self.lines().erased(from);
            }
            ModeSequence::Off(modes) if alternate(modes) => self.save_alternate(),
            ModeSequence::Reset => {
                self.finish();
                // `finish` sent complete sequences; this byte starts the interrupted one again.
                self.parser.process(b"\x1b");
            }
            _ => {}
        }
    }

    fn after(&mut self, sequence: &ModeSequence) {
        match sequence {
            // The parser supports modes 47 and 1049 only.
            ModeSequence::On(modes) if modes.contains(&1047) => self.parser.process(b"\x1b[?47h"),
            ModeSequence::Off(modes) if modes.contains(&1047) && self.parser.screen().alternate_screen() => {
                self.parser.process(b"\x1b[2J\x1b[?47l");
            }
            ModeSequence::Resize(rows, cols) if *rows > 0 && *cols > 0 => {
                self.parser.screen_mut().clear_scrollback();
                self.parser.set_size(TerminalSize::sane(*rows), TerminalSize::sane(*cols));
            }
            _ => {}
        }
    }

    /// Returns the number of rows before the cursor, including those that have left the screen.
    fn rows_above(&mut self) -> u64 {
        let (row, col) = self.parser.screen().cursor_position();
        self.lines().scrolled_rows() + u64::from(row) + u64::from(col > 0)
    }

    /// Returns the number of rows that contain text, up to the row of the cursor.
    fn written(&mut self) -> u64 {
        let (row, col) = self.parser.screen().cursor_position();
        let (_, cols) = self.parser.screen().size();
        let is_empty = self.parser.screen().contents_between(row, 0, row, cols.get()).trim().is_empty();
        self.rows_above() + u64::from(col == 0 && !is_empty)
    }

    /// Stores the content of the alternate screen for insertion at its position among the lines.
    fn save_alternate(&mut self) {
        if self.parser.screen().alternate_screen() {
            let text = self.parser.screen().contents();
            let entered = self.entered;
            self.lines().defer_text(entered, &text);
        }
    }

    /// Appends everything that is still on the screens to the lines, and leaves the alternate screen.
    fn finish(&mut self) {
        let alternate = self.parser.screen().alternate_screen().then(|| self.parser.screen().contents());
        let (rows, _) = self.parser.screen().size();
        self.lines().complete_line();
        // Scrolls all rows off the top of the screen, which adds them to the lines.
        self.parser.process(format!("\x1b[?47l\x1b[r\x1b[{rows}S").as_bytes());
        self.lines().end();
        if let Some(text) = alternate {
            self.lines().push(&text);
        }
    }
}

fn alternate(modes: &[u16]) -> bool {
    modes.iter().any(|mode| matches!(mode, 47 | 1047 | 1049))
}

/// A line writer that holds back blank lines until text follows.
struct Page<'a, W> {
    out: &'a mut W,
    blanks: usize,
    in_line: bool,
}

impl<W: Write> Page<'_, W> {
    fn print(&mut self, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            if line == "\n" && !self.in_line {
                self.blanks += 1;
                continue;
            }
            for _ in 0..std::mem::take(&mut self.blanks) {
                self.out.write_all(b"\n")?;
            }
            self.out.write_all(without_deception(line).as_bytes())?;
            self.in_line = !line.ends_with('\n');
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
