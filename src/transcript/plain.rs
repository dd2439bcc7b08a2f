//! Turns recorded output into the text that the terminal showed, line by line: redraws leave only their last
//! state, wrapped lines are whole again. Streams: holds one screen, whatever the length of the transcript.

use std::io::{self, Read, Write};
use std::num::NonZeroU16;

use vt100::capture::{
    BasicFormattedCaptureRange, BasicFormattedCaptureState, RowContents, basic_formatted_to_plain,
};
use vt100::{Callbacks, Parser, Screen};

use super::scan::{Scanner, Sequence};

/// Small, because one repeat sequence of eight bytes can print 65535 characters.
const STEP: usize = 4096;

/// A line that goes on for longer is written in parts.
const LONGEST_LINE: usize = 1 << 20;

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters a line.
    pub cols: u16,
}

impl Size {
    /// In both directions; below two a wide character has no place, above a thousand is no real terminal.
    fn sane(value: u16) -> NonZeroU16 {
        NonZeroU16::new(value.clamp(2, 1000)).unwrap_or(NonZeroU16::MIN)
    }
}

/// Writes the text as a terminal of this size showed it.
///
/// What a program drew on the alternate screen appears once, as it was when the program left it.
pub fn plain(mut input: impl Read, out: &mut impl Write, size: Size) -> io::Result<()> {
    let mut terminal = Terminal::new(size);
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

/// A terminal whose lines are kept when they leave the screen at the top.
struct Terminal {
    parser: Parser<Lines>,
    scanner: Scanner,
    /// The beginning of a character whose rest is still to come.
    held: Vec<u8>,
}

impl Terminal {
    fn new(size: Size) -> Terminal {
        let (rows, cols) = (Size::sane(size.rows), Size::sane(size.cols));
        // No scrollback: a line that leaves the screen is handed over at once.
        let parser = Parser::new_with_callbacks(rows, cols, 0, Lines::default());
        Terminal { parser, scanner: Scanner::default(), held: Vec::new() }
    }

    fn lines(&mut self) -> &mut Lines {
        self.parser.callbacks_mut()
    }

    fn take(&mut self, bytes: &[u8]) {
        // The parser (vte 0.15) drops characters behind one that reaches it in two pieces.
        let mut piece = std::mem::take(&mut self.held);
        piece.extend_from_slice(bytes);
        self.held = piece.split_off(whole_characters(&piece));
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let (taken, sequence) = self.scanner.advance(rest);
            let (now, later) = rest.split_at(taken);
            match sequence {
                None => self.parser.process(now),
                Some(sequence) => {
                    // The last byte makes the sequence act: what it would wipe is saved before.
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

    fn before(&mut self, sequence: &Sequence) {
        match sequence {
            // A taller screen must not get back, as blank lines, what has been handed over.
            Sequence::On(modes) if alternate(modes) => self.parser.screen_mut().clear_scrollback(),
            Sequence::Off(modes) if alternate(modes) => self.save_alternate(),
            Sequence::Reset => {
                self.finish();
                // That was a sequence of its own; this begins the cut one anew.
                self.parser.process(b"\x1b");
            }
            _ => {}
        }
    }

    fn after(&mut self, sequence: &Sequence) {
        match sequence {
            // The parser knows 47 and 1049 only.
            Sequence::On(modes) if modes.contains(&1047) => self.parser.process(b"\x1b[?47h"),
            Sequence::Off(modes) if modes.contains(&1047) && self.parser.screen().alternate_screen() => {
                self.parser.process(b"\x1b[2J\x1b[?47l");
            }
            Sequence::Resize(rows, cols) if *rows > 0 && *cols > 0 => {
                self.parser.screen_mut().clear_scrollback();
                self.parser.set_size(Size::sane(*rows), Size::sane(*cols));
            }
            _ => {}
        }
    }

    /// Puts what the alternate screen shows among the lines.
    fn save_alternate(&mut self) {
        if self.parser.screen().alternate_screen() {
            let (screen, lines) = self.parser.screen_and_callbacks_mut();
            lines.insert(screen);
        }
    }

    /// Puts everything that is still on the screens among the lines, and leaves the alternate one.
    fn finish(&mut self) {
        let alternate = self.parser.screen().alternate_screen().then(|| self.parser.screen().contents());
        self.parser.process(b"\x1b[?47l");
        let (screen, lines) = self.parser.screen_and_callbacks_mut();
        lines.end(screen);
        if let Some(text) = alternate {
            lines.push(&text);
        }
    }
}

/// How many bytes there are before a character that is cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3);
    let cut = (last..bytes.len()).rev().find(|at| bytes[*at] >= 0xc0);
    cut.filter(|at| bytes.len() - at < bytes[*at].leading_ones() as usize).unwrap_or(bytes.len())
}

fn alternate(modes: &[u16]) -> bool {
    modes.iter().any(|mode| matches!(mode, 47 | 1047 | 1049))
}

/// Lines that have left the screen.
#[derive(Default)]
struct Lines {
    /// Rows as the parser gives them, with colours; a line's end comes only with the row after it.
    open: String,
    state: BasicFormattedCaptureState,
    done: String,
}

impl Callbacks for Lines {
    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if !alternate_screen {
            // Writing to a string cannot fail.
            let _ = row.write_formatted_basic(&mut self.open, &mut self.state);
        }
    }
}

impl Lines {
    /// Takes the finished lines out.
    fn done(&mut self) -> String {
        if let Some(end) = self.open.rfind('\n') {
            let rest = self.open.split_off(end + 1);
            let finished = std::mem::replace(&mut self.open, rest);
            self.push(finished.strip_suffix('\n').unwrap_or(&finished));
        } else if self.open.len() > LONGEST_LINE {
            let part = std::mem::take(&mut self.open);
            self.done.extend(basic_formatted_to_plain(&part));
        }
        std::mem::take(&mut self.done)
    }

    /// Adds whole lines of text, without colours and without blanks at their ends.
    fn push(&mut self, text: &str) {
        let text: String = basic_formatted_to_plain(text).collect();
        for line in text.split('\n') {
            self.done.push_str(line.trim_end_matches(' '));
            self.done.push('\n');
        }
    }

    /// Adds a screen that is not the one whose rows we collect.
    fn insert(&mut self, screen: &Screen) {
        // Only the next row tells whether the last one ended a line: this screen serves for a trial.
        let (mut trial, mut state) = (String::new(), self.state.clone());
        let _ =
            screen.write_contents_formatted_basic(&mut trial, BasicFormattedCaptureRange::Full(&mut state));
        if trial.starts_with('\n') {
            self.open.push('\n');
            self.state = BasicFormattedCaptureState::default();
        }
        self.done = self.done();
        self.push(&screen.contents());
    }

    /// Adds the rest of the screen whose rows we collect.
    fn end(&mut self, screen: &Screen) {
        self.done = self.done();
        let _ = screen.write_contents_formatted_basic(
            &mut self.open,
            BasicFormattedCaptureRange::Full(&mut self.state),
        );
        let open = std::mem::take(&mut self.open);
        // What is below the last text of a screen was never written.
        self.push(open.trim_end_matches('\n'));
        self.state = BasicFormattedCaptureState::default();
    }
}

/// Prints lines, holding back blank ones until something follows.
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
            self.out.write_all(line.as_bytes())?;
            self.in_line = !line.ends_with('\n');
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
