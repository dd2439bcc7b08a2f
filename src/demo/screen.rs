//! Draws the screen: history is printed to the normal screen, and only the block below it is redrawn.

use std::io::{self, Stdout, Write};

use super::view::{Block, DemoView, sanitize};

/// An output to which the demo agent prints.
pub(super) trait Surface {
    /// Prints complete lines into the history.
    fn print(&mut self, text: &str) -> io::Result<()>;
    /// Prints this number of bytes as fast as possible.
    fn flood(&mut self, bytes: u64) -> io::Result<()>;
}

/// The screen of a terminal in raw mode.
pub(super) struct DemoScreen {
    out: Stdout,
    pending: String,
    drawn: Option<Block>,
    size: (usize, usize),
}

impl DemoScreen {
    /// Creates a screen that has nothing drawn on it.
    pub(super) fn new(size: (usize, usize)) -> DemoScreen {
        DemoScreen { out: io::stdout(), pending: String::new(), drawn: None, size }
    }

    /// Draws the view if it differs from the current one.
    pub(super) fn draw(&mut self, view: &DemoView, size: (usize, usize)) -> io::Result<()> {
        let block = view.block(size);
        if self.drawn.as_ref() != Some(&block) || self.size != size {
            self.size = size;
            self.erase();
            self.pending.push_str(&block.lines.join("\r\n"));
            let below = block.lines.len() - 1 - block.cursor.0;
            if below > 0 {
                self.pending.push_str(&format!("\x1b[{below}A"));
            }
            self.pending.push_str(&format!("\r\x1b[{}C", block.cursor.1));
            if !block.placeholder.is_empty() {
                self.pending
                    .push_str(&format!("\x1b[2m{}\x1b[22m\r\x1b[{}C", block.placeholder, block.cursor.1));
            }
            self.drawn = Some(block);
        }
        self.flush()
    }

    /// Erases the block and leaves the cursor below the history.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        self.erase();
        self.flush()
    }

    fn erase(&mut self) {
        if let Some(block) = self.drawn.take() {
            // After the terminal became narrower, one of the lines may occupy several rows.
            let columns = self.size.0.max(1);
            let rows =
                |line: &String| unicode_width::UnicodeWidthStr::width(line.as_str()).div_ceil(columns).max(1);
            let above: usize = block.lines[..block.cursor.0].iter().map(rows).sum();
            self.pending.push('\r');
            if above > 0 {
                self.pending.push_str(&format!("\x1b[{above}A"));
            }
            self.pending.push_str("\x1b[J");
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.out.write_all(self.pending.as_bytes())?;
        self.pending.clear();
        self.out.flush()
    }
}

impl Surface for DemoScreen {
    fn print(&mut self, text: &str) -> io::Result<()> {
        self.erase();
        for line in sanitize(text).split('\n') {
            self.pending.push_str(line);
            self.pending.push_str("\r\n");
        }
        Ok(())
    }

    fn flood(&mut self, bytes: u64) -> io::Result<()> {
        self.erase();
        self.flush()?;
        flood(&mut self.out, bytes)
    }
}

/// Standard output when stdin or stdout is not a terminal.
pub(super) struct PlainOutput(pub(super) Stdout);

impl Surface for PlainOutput {
    fn print(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.0, "{text}")?;
        self.0.flush()
    }

    fn flood(&mut self, bytes: u64) -> io::Result<()> {
        flood(&mut self.0, bytes)
    }
}

/// Prints numbered lines of 80 bytes, so that missing output can be detected.
fn flood(out: &mut impl Write, bytes: u64) -> io::Result<()> {
    let mut left = bytes;
    let mut number = 0_u64;
    while left > 0 {
        let mut chunk = String::new();
        while chunk.len() < 1 << 16 && (chunk.len() as u64) < left {
            number += 1;
            chunk.push_str(&format!("flood {number:<12}{}\r\n", "~".repeat(60)));
        }
        let count = (chunk.len() as u64).min(left);
        out.write_all(&chunk.as_bytes()[..count as usize])?;
        left -= count;
    }
    out.write_all(b"\r\n")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_has_the_requested_size() {
        for bytes in [0, 1, 80, 65_536, 1_000_000] {
            let mut out = Vec::new();
            flood(&mut out, bytes).unwrap();
            assert_eq!(out.len() as u64, bytes + 2);
        }
    }
}
