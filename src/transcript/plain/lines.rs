//! The lines that have left a screen at the top, and between them what was on the alternate screen. Such a text waits
//! until the rows before it have left, too: until then they may be drawn again.

use std::collections::BTreeMap;

use vt100::Callbacks;
use vt100::capture::{BasicFormattedCaptureState, RowContents, basic_formatted_to_plain};

/// A line that goes on for longer is written in parts.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Of texts that wait, so much is held: more than a hundred screens. What is more comes before its place.
pub(super) const MOST_WAITING: usize = 1 << 20;

/// Lines that have left the screen.
#[derive(Default)]
pub(super) struct Lines {
    /// Rows as the parser gives them, with colours; a line's end comes only with the row after it.
    pub(super) open: String,
    state: BasicFormattedCaptureState,
    done: String,
    /// How many rows have left.
    gone: u64,
    /// How many of them when the screen was last empty: the row after those begins a line.
    began: u64,
    /// What was on alternate screens, by the number of rows before it.
    waiting: BTreeMap<u64, String>,
    /// How many bytes wait.
    held: usize,
}

impl Callbacks for Lines {
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
                self.settle();
                while self.is_due() {
                    self.release();
                }
                self.open = row;
            }
        }
        self.gone += 1;
    }
}

impl Lines {
    /// How many rows have left.
    pub(super) fn gone(&self) -> u64 {
        self.gone
    }

    /// Takes the finished lines out.
    pub(super) fn done(&mut self) -> String {
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

    /// Puts the finished lines aside.
    pub(super) fn settle(&mut self) {
        self.done = self.done();
    }

    /// Adds whole lines of text, without colours and without blanks at their ends.
    pub(super) fn push(&mut self, text: &str) {
        let text: String = basic_formatted_to_plain(text).collect();
        for line in text.split('\n') {
            self.done.push_str(line.trim_end_matches(' '));
            self.done.push('\n');
        }
    }

    /// Keeps a text for its place behind so many rows, and behind those that wait already.
    pub(super) fn hold(&mut self, after: u64, text: &str) {
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
        while self.held > MOST_WAITING {
            self.settle();
            self.release();
        }
    }

    /// Rows from here on are wiped: what waited behind them is behind what is left.
    pub(super) fn erased(&mut self, from: u64) {
        for text in self.waiting.split_off(&from).into_values() {
            self.held -= text.len();
            self.hold(from, &text);
        }
    }

    /// Ends what was on the screen, now that its rows have left.
    pub(super) fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        // What is below the last text of a screen was never written.
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
