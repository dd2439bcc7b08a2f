//! The lines that have scrolled off the top of a screen, with the content of alternate screens between them. Such
//! content waits until the rows before it have left the screen, too, because the program may still redraw them.

use std::collections::BTreeMap;

use vt100::Callbacks;
use vt100::capture::{BasicFormattedCaptureState, RowContents, basic_formatted_to_plain};

/// Maximum length of a line in bytes; a longer line is written in parts.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;

/// Maximum number of bytes of alternate screens that wait for their position, enough for more than a hundred screens.
/// If there are more, the oldest content is written before its position is reached.
pub(super) const MAX_HELD_BYTES: usize = 1 << 20;

/// The lines that have left the screen.
#[derive(Default)]
pub(super) struct ScrolledLines {
    /// Rows as the parser delivers them, with colours. The end of a line is only known when the next row arrives.
    pub(super) open: String,
    state: BasicFormattedCaptureState,
    done: String,
    /// Number of rows that have left the screen.
    gone: u64,
    /// Value of `gone` when the screen was last empty: the next row begins a new line.
    began: u64,
    /// Content of alternate screens, keyed by the number of rows before it.
    waiting: BTreeMap<u64, String>,
    /// Total size of the waiting texts in bytes.
    held: usize,
}

impl Callbacks for ScrolledLines {
    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if alternate_screen {
            return;
        }
        let before = self.open.len();
        // Writing to a string cannot fail.
        let _ = row.write_formatted_basic(&mut self.open, &mut self.state);
        if self.is_due() {
            let line = match self.open[before..].starts_with('\n') {
                true => Some(before + 1),
                false => (self.gone == self.began).then_some(before),
            };
            if let Some(line) = line {
                let row = self.open.split_off(line);
                self.complete_line();
                while self.is_due() {
                    self.release();
                }
                self.open = row;
            }
        }
        self.gone += 1;
    }
}

impl ScrolledLines {
    /// Returns the number of rows that have left the screen.
    pub(super) fn scrolled_rows(&self) -> u64 {
        self.gone
    }

    /// Takes the finished lines out of the buffer.
    pub(super) fn done(&mut self) -> String {
        if let Some(end) = self.open.rfind('\n') {
            let rest = self.open.split_off(end + 1);
            let finished = std::mem::replace(&mut self.open, rest);
            self.push(finished.strip_suffix('\n').unwrap_or(&finished));
        } else if self.open.len() > MAX_LINE_BYTES {
            let part = std::mem::take(&mut self.open);
            self.done.extend(basic_formatted_to_plain(&part));
        }
        std::mem::take(&mut self.done)
    }

    /// Moves the finished lines from `open` to `done`.
    pub(super) fn complete_line(&mut self) {
        self.done = self.done();
    }

    /// Appends complete lines of text, without colours and without trailing blanks.
    pub(super) fn push(&mut self, text: &str) {
        let text: String = basic_formatted_to_plain(text).collect();
        for line in text.split('\n') {
            self.done.push_str(line.trim_end_matches(' '));
            self.done.push('\n');
        }
    }

    /// Stores a text for insertion after `after` rows, and after the texts that wait already.
    pub(super) fn defer_text(&mut self, after: u64, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let last = self.waiting.last_key_value().map_or(after, |(last, _)| *last);
        let kept = self.waiting.entry(after.max(last)).or_default();
        let before = kept.len();
        if !kept.is_empty() {
            kept.push('\n');
        }
        kept.push_str(text);
        self.held += kept.len() - before;
        while self.held > MAX_HELD_BYTES {
            self.complete_line();
            self.release();
        }
    }

    /// Handles the erasure of all rows from `from` on: texts that waited for a position after them move up to the
    /// remaining rows.
    pub(super) fn erased(&mut self, from: u64) {
        for text in self.waiting.split_off(&from).into_values() {
            self.held -= text.len();
            self.defer_text(from, &text);
        }
    }

    /// Finishes the content of the screen after all of its rows have left it.
    pub(super) fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        // Rows below the last text of a screen were never written.
        self.push(open.trim_end_matches('\n'));
        while !self.waiting.is_empty() {
            self.release();
        }
        self.state = BasicFormattedCaptureState::default();
        self.began = self.gone;
    }

    #[cfg(test)]
    pub(super) fn waits(&self) -> usize {
        self.held
    }

    fn is_due(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(after, _)| *after <= self.gone)
    }

    fn release(&mut self) {
        if let Some((_, text)) = self.waiting.pop_first() {
            self.held -= text.len();
            self.push(&text);
        }
    }
}
