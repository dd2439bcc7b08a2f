//! Prints a patch to a terminal: with colours, and without the control characters that changed files may contain.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::cli::render::ui;
use crate::model::is_deceptive;

/// The line before the encoded content of a binary file.
const BINARY: &str = "GIT binary patch";

/// Longest line that is kept in memory; the rest of a longer line is printed as a line of its own.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// A writer that prints the lines of a patch.
pub(in crate::cli) struct PatchPrinter<W: Write = Box<dyn Write>> {
    out: W,
    line: Vec<u8>,
    is_coloured: bool,
    is_in_hunk: bool,
    is_in_binary_file: bool,
}

impl PatchPrinter {
    /// Creates a printer to stdout that uses colours if stdout does.
    pub(in crate::cli) fn to_stdout() -> PatchPrinter {
        let out: Box<dyn Write> = Box::new(io::BufWriter::with_capacity(64 * 1024, io::stdout().lock()));
        PatchPrinter::to(out, ui::is_colored())
    }
}

impl<W: Write> PatchPrinter<W> {
    fn to(out: W, is_coloured: bool) -> PatchPrinter<W> {
        PatchPrinter { out, line: Vec::new(), is_coloured, is_in_hunk: false, is_in_binary_file: false }
    }

    fn print_line(&mut self) -> io::Result<()> {
        let mut line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        if line.starts_with("diff --git ") {
            self.is_in_binary_file = false;
        }
        if self.is_in_binary_file {
            return Ok(());
        }
        if line == BINARY && !self.is_in_hunk {
            self.is_in_binary_file = true;
            "binary file".clone_into(&mut line);
        }
        let style = self.style(&line);
        let clean: String =
            line.chars().map(|c| if is_deceptive(c) && c != '\t' { '\u{fffd}' } else { c }).collect();
        match style.filter(|_| self.is_coloured) {
            Some(style) => writeln!(self.out, "{style}{clean}{style:#}"),
            None => writeln!(self.out, "{clean}"),
        }
    }

    fn style(&mut self, line: &str) -> Option<Style> {
        if line.starts_with("diff --git ") {
            self.is_in_hunk = false;
        }
        let colour = |colour: AnsiColor| Some(Style::new().fg_color(Some(colour.into())));
        if line.starts_with("@@ ") {
            self.is_in_hunk = true;
            return colour(AnsiColor::Cyan);
        }
        match (self.is_in_hunk, line.chars().next()) {
            (true, Some('+')) => colour(AnsiColor::Green),
            (true, Some('-')) => colour(AnsiColor::Red),
            (true, _) => None,
            (false, _) => Some(Style::new().bold()),
        }
    }
}

impl<W: Write> Write for PatchPrinter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.line.extend_from_slice(end);
                    self.print_line()?;
                }
                None => self.line.extend_from_slice(part),
            }
            if self.line.len() > MAX_LINE_BYTES {
                self.print_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.print_line()?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(patch: &[u8], is_coloured: bool) -> String {
        let mut printer = PatchPrinter::to(Vec::new(), is_coloured);
        // Writes that end in the middle of a line give the same result.
        for part in patch.chunks(7) {
            printer.write_all(part).unwrap();
        }
        printer.flush().unwrap();
        String::from_utf8(printer.out).unwrap()
    }

    #[test]
    fn control_characters_of_a_changed_file_are_not_printed() {
        let patch = b"diff --git a/x b/x\n@@ -1 +1 @@\n-\x1b]0;title\x07\n+\x1b[2Jgone\t\xff\r\n";
        let shown = printed(patch, false);
        assert!(!shown.contains('\x1b') && !shown.contains('\r') && !shown.contains('\x07'), "{shown:?}");
        assert!(shown.contains("[2Jgone\t"), "{shown:?}");
    }

    #[test]
    fn the_content_of_a_binary_file_is_not_printed() {
        let patch = b"diff --git a/x b/x\nGIT binary patch\nliteral 2\nJcmZQz1ONa700IC2\n\ndiff --git a/y b/y\n@@ -1 +1 @@\n-GIT binary patch\n+y\n";
        let shown =
            "diff --git a/x b/x\nbinary file\ndiff --git a/y b/y\n@@ -1 +1 @@\n-GIT binary patch\n+y\n";
        assert_eq!(printed(patch, false), shown);
    }

    #[test]
    fn lines_are_coloured_by_their_meaning() {
        let shown =
            printed(b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+new\n same\n", true);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "\x1b[1m--- a/x\x1b[0m");
        assert_eq!(lines[4], "\x1b[31m--- old\x1b[0m");
        assert_eq!(lines[5], "\x1b[32m+new\x1b[0m");
        assert_eq!(lines[6], " same");
    }
}
