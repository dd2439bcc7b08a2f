//! Decides whether and how a prompt can be typed into a program.

use crate::model::Prompt;

/// Maximum length of a line in a terminal in cooked mode; the kernel silently drops the rest.
pub const COOKED_LINE: usize = 4095;

/// How the program reads its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputReader {
    /// Line by line, edited by the kernel.
    Cooked,
    /// Key by key, with bracketed paste.
    Bracketed,
    /// Key by key, without distinguishing pastes from keys.
    Raw,
}

/// How several lines are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineHandling {
    /// All lines are one prompt.
    Together,
    /// Each line is a separate input (`--as-lines`).
    Separate,
}

/// How a prompt is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// As one bracketed paste, followed by a separate Enter.
    PasteThenEnter,
    /// As text with a line end after each line, in one write.
    WholeLines,
    /// As keys, followed by a separate Enter.
    KeysThenEnter,
}

/// Reason why a prompt cannot be typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntypeablePrompt {
    /// The kernel would drop the rest of a line.
    #[error(
        "line {line} has {bytes} bytes, and the program reads line by line: the terminal keeps only 4095 of a line"
    )]
    LineTooLong {
        /// Number of the line, starting at 1.
        line: usize,
        /// Length of the line in bytes.
        bytes: usize,
    },
    /// Each line would be submitted separately.
    #[error(
        "the text has {lines} lines, and the program does not distinguish a paste from typing: each line would be submitted separately"
    )]
    ManyLines {
        /// Number of lines.
        lines: usize,
    },
    /// A tab would be interpreted as the completion key.
    #[error(
        "the text contains a tab, and the program does not distinguish a paste from typing: it would interpret the tab as a key"
    )]
    Tab,
}

/// Decides how a prompt is typed, or why it cannot be.
pub fn typing(prompt: &Prompt, reader: InputReader, lines: LineHandling) -> Result<Typing, UntypeablePrompt> {
    if reader == InputReader::Bracketed && lines == LineHandling::Together {
        return Ok(Typing::PasteThenEnter);
    }
    let count = prompt.line_count();
    if count > 1 && lines == LineHandling::Together {
        return Err(UntypeablePrompt::ManyLines { lines: count });
    }
    if reader == InputReader::Cooked {
        let long = prompt.as_str().split('\n').enumerate().find(|(_, line)| line.len() > COOKED_LINE);
        return match long {
            Some((at, line)) => Err(UntypeablePrompt::LineTooLong { line: at + 1, bytes: line.len() }),
            None => Ok(Typing::WholeLines),
        };
    }
    if prompt.as_str().contains('\t') && reader == InputReader::Raw {
        return Err(UntypeablePrompt::Tab);
    }
    Ok(if lines == LineHandling::Separate { Typing::WholeLines } else { Typing::KeysThenEnter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typeable_prompts_depend_on_the_input_mode() {
        let long = "x".repeat(COOKED_LINE + 1);
        let fits = "x".repeat(COOKED_LINE);
        use InputReader::*;
        use LineHandling::*;
        for (text, reader, lines, expected) in [
            ("one", Cooked, Together, Ok(Typing::WholeLines)),
            ("one", Raw, Together, Ok(Typing::KeysThenEnter)),
            ("one", Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("one\ntwo", Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("one\ntwo", Cooked, Together, Err(UntypeablePrompt::ManyLines { lines: 2 })),
            ("one\ntwo", Raw, Together, Err(UntypeablePrompt::ManyLines { lines: 2 })),
            ("one\ntwo", Cooked, Separate, Ok(Typing::WholeLines)),
            ("one\ntwo", Raw, Separate, Ok(Typing::WholeLines)),
            (&long, Cooked, Together, Err(UntypeablePrompt::LineTooLong { line: 1, bytes: COOKED_LINE + 1 })),
            (&fits, Cooked, Together, Ok(Typing::WholeLines)),
            (&long, Raw, Together, Ok(Typing::KeysThenEnter)),
            (&long, Bracketed, Together, Ok(Typing::PasteThenEnter)),
            ("a\tb", Raw, Together, Err(UntypeablePrompt::Tab)),
            ("a\tb", Cooked, Together, Ok(Typing::WholeLines)),
        ] {
            assert_eq!(typing(&text.parse().unwrap(), reader, lines), expected, "{reader:?} {lines:?}");
        }
    }
}
