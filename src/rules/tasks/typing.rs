//! Whether and how a prompt can be typed into the program at the other end.

use crate::model::Prompt;

/// A terminal in cooked mode keeps at most this much of a line; the rest is dropped silently by the kernel.
pub const COOKED_LINE: usize = 4095;

/// How the program at the other end reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Line by line, edited by the kernel.
    Cooked,
    /// Every key at once, pastes marked as such.
    Bracketed,
    /// Every key at once, pastes not told from keys.
    Raw,
}

/// What several lines mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// One prompt.
    Together,
    /// One input each (`--as-lines`).
    Separate,
}

/// How to type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// One marked paste, then Enter apart.
    PasteThenEnter,
    /// The text with a line end behind each line, in one go.
    WholeLines,
    /// The text as keys, then Enter apart.
    KeysThenEnter,
}

/// Why it cannot be typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The kernel would drop the rest.
    #[error(
        "line {line} has {bytes} bytes, and the program reads line by line: the terminal keeps only 4095 of a line"
    )]
    LineTooLong {
        /// Which line, from 1.
        line: usize,
        /// How long it is.
        bytes: usize,
    },
    /// Every line would be submitted alone.
    #[error(
        "the text has {lines} lines, and the program does not tell a paste from typing: each line would be an input of its own"
    )]
    ManyLines {
        /// How many.
        lines: usize,
    },
    /// A tab would be taken for the completion key.
    #[error(
        "the text holds a tab, and the program does not tell a paste from typing: it would take the tab for a key"
    )]
    Tab,
}

/// Decides.
pub fn typing(prompt: &Prompt, reader: Reader, lines: Lines) -> Result<Typing, Refusal> {
    if reader == Reader::Bracketed && lines == Lines::Together {
        return Ok(Typing::PasteThenEnter);
    }
    let count = prompt.line_count();
    if count > 1 && lines == Lines::Together {
        return Err(Refusal::ManyLines { lines: count });
    }
    if reader == Reader::Cooked {
        let long = prompt.as_str().split('\n').enumerate().find(|(_, line)| line.len() > COOKED_LINE);
        return match long {
            Some((at, line)) => Err(Refusal::LineTooLong { line: at + 1, bytes: line.len() }),
            None => Ok(Typing::WholeLines),
        };
    }
    if prompt.as_str().contains('\t') && reader == Reader::Raw {
        return Err(Refusal::Tab);
    }
    Ok(if lines == Lines::Separate { Typing::WholeLines } else { Typing::KeysThenEnter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_typed_depends_on_the_reader() {
        let long = "x".repeat(COOKED_LINE + 1);
        let fits = "x".repeat(COOKED_LINE);
        use Lines::*;
        use Reader::*;
        for (text, reader, lines, expected) in [
            ("one", Cooked, Together, Ok(Typing::WholeLines)),
            ("one", Raw, Together, Ok(Typing::KeysThenEnter)),
            ("one", Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("one\ntwo", Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("one\ntwo", Cooked, Together, Err(Refusal::ManyLines { lines: 2 })),
            ("one\ntwo", Raw, Together, Err(Refusal::ManyLines { lines: 2 })),
            ("one\ntwo", Cooked, Separate, Ok(Typing::WholeLines)),
            ("one\ntwo", Raw, Separate, Ok(Typing::WholeLines)),
            (&long, Cooked, Together, Err(Refusal::LineTooLong { line: 1, bytes: COOKED_LINE + 1 })),
            (&fits, Cooked, Together, Ok(Typing::WholeLines)),
            (&long, Raw, Together, Ok(Typing::KeysThenEnter)),
            (&long, Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("a\tb", Raw, Together, Err(Refusal::Tab)),
            ("a\tb", Cooked, Together, Ok(Typing::WholeLines)),
        ] {
            assert_eq!(typing(&text.parse().unwrap(), reader, lines), expected, "{reader:?} {lines:?}");
        }
    }
}
