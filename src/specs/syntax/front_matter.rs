//! Splits a Markdown file into its front matter and its body.

use crate::base::source_text::{LocatedMistake, Position};

/// The two parts of a file.
#[derive(Debug, PartialEq)]
pub(in crate::specs) struct SplitFile<'a> {
    /// The lines between the two `---`, which begin at line 2; `None` if there are no such lines.
    pub front: Option<&'a str>,
    /// The text after the front matter, without empty lines around it.
    pub body: &'a str,
    /// The position at which the body begins.
    pub body_at: Position,
}

/// Splits at the lines `---`. A file that does not begin with such a line has only a body.
pub(in crate::specs) fn split(text: &str) -> Result<SplitFile<'_>, LocatedMistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !is_fence(first) {
        return Ok(body(text, 0, None));
    }
    let start = first.len();
    let mut end = start;
    for line in lines {
        if is_fence(line) {
            return Ok(body(text, end + line.len(), Some(&text[start..end])));
        }
        end += line.len();
    }
    Err(LocatedMistake::new(Position::START, "front matter is not closed: a line `---` must follow"))
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

fn body<'a>(text: &'a str, from: usize, front: Option<&'a str>) -> SplitFile<'a> {
    let rest = &text[from..];
    let blank: usize =
        rest.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let line = text[..from + blank].matches('\n').count() + 1;
    SplitFile { front, body: rest[blank..].trim_end(), body_at: Position { line, column: 1 } }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn file_is_split_at_its_front_matter_fences() {
        for (text, front, rest, line) in [
            ("---\na: 1\n---\n\nHello\n--- \nyou\n", Some("a: 1\n"), "Hello\n--- \nyou", 5),
            ("\u{feff}---\r\na: 1\r\n---\r\nHello", Some("a: 1\r\n"), "Hello", 4),
            ("---\n---\n", Some(""), "", 3),
            ("  Hello\n", None, "  Hello", 1),
            ("", None, "", 1),
            ("----\n---\n", None, "----\n---", 1),
        ] {
            let cut = split(text).expect(text);
            assert_eq!((cut.front, cut.body, cut.body_at.line), (front, rest, line), "{text:?}");
        }
        assert!(split("---\na: 1\n").is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(-{2,4}\r?\n|a: b\n|ü| |\n){0,12}") {
            let _ = split(&text);
        }
    }
}
