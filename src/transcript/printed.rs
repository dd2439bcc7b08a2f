//! The characters that a program has printed, in the order in which they arrived, regardless of their position on the
//! screen. The result answers whether a text was ever shown; it is not meant to be read.

use std::io::{self, Read};
use std::path::Path;

use jiff::Timestamp;

use super::read::{ReadFrom, open};

/// Number of bytes to search at most. The output of a program that floods its terminal beyond this limit is not useful
/// for a search.
const MAX_SCANNED_BYTES: u64 = 8 << 20;

/// Returns the characters that were printed since a time, without their positions.
pub fn printed_since(dir: &Path, since: Timestamp) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(dir, ReadFrom::At(since))?.take(MAX_SCANNED_BYTES).read_to_end(&mut bytes)?;
    let mut printed = PrintedText::default();
    vte::Parser::new().advance(&mut printed, &bytes);
    Ok(printed.0)
}

#[derive(Default)]
struct PrintedText(String);

impl vte::Perform for PrintedText {
    fn print(&mut self, c: char) {
        self.0.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_is_found_despite_escape_sequences() {
        let mut printed = PrintedText::default();
        let bytes = b"\x1b[2J[symp\x1b[1;31mosium\x1b[0m\x1b[4C task\x1b]0;title\x07 7]\r\n";
        vte::Parser::new().advance(&mut printed, bytes);
        assert_eq!(printed.0, "[symposium task 7]");
    }
}
