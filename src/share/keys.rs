//! Decodes the output of a guest's terminal: typed and pasted text is for the agent; reports of the terminal itself
//! (mouse, focus, answers to queries of tmux) are dropped.

/// Maximum length of a paste, which is buffered until its end. A larger paste cannot be intended.
const MAX_PENDING_BYTES: usize = 1 << 20;
const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// Input for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestInput {
    /// Bytes as they were typed.
    Bytes(Vec<u8>),
    /// Text that was pasted.
    Paste(Vec<u8>),
    /// A key by its tmux name. Its bytes depend on the mode that the program has set.
    Key(&'static str),
}

/// Decoder for input that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct GuestInputDecoder {
    held: Vec<u8>,
    paste: Option<Vec<u8>>,
}

/// Kind and length of the next part of the input.
enum NextPart {
    /// This many bytes of plain input.
    Plain(usize),
    /// This many bytes that form a key.
    Key(usize, &'static str),
    /// This many bytes that are dropped.
    Nothing(usize),
    /// A paste that begins after this many bytes.
    Paste(usize),
    /// The part is incomplete.
    Open,
}

impl GuestInputDecoder {
    /// Decodes these bytes together with those that were buffered.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<GuestInput> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut typed = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let rest = &all[at..];
            if let Some(paste) = &mut self.paste {
                match find(rest, END) {
                    Some(end) => {
                        paste.extend_from_slice(&rest[..end]);
                        let paste = self.paste.take().unwrap_or_default();
                        typed.push(GuestInput::Paste(paste));
                        at += end + END.len();
                    }
                    None => {
                        // The end marker may be split between two reads.
                        let keep = rest.len().min(END.len() - 1);
                        let room = MAX_PENDING_BYTES.saturating_sub(paste.len());
                        paste.extend(rest[..rest.len() - keep].iter().take(room));
                        self.held = rest[rest.len() - keep..].to_vec();
                        return typed;
                    }
                }
                continue;
            }
            match next(rest) {
                NextPart::Plain(count) => {
                    match typed.last_mut() {
                        Some(GuestInput::Bytes(before)) => before.extend_from_slice(&rest[..count]),
                        _ => typed.push(GuestInput::Bytes(rest[..count].to_vec())),
                    }
                    at += count;
                }
                NextPart::Key(count, name) => {
                    typed.push(GuestInput::Key(name));
                    at += count;
                }
                NextPart::Nothing(count) => at += count,
                NextPart::Paste(count) => {
                    self.paste = Some(Vec::new());
                    at += count;
                }
                NextPart::Open => {
                    self.held = rest.iter().copied().take(256).collect();
                    return typed;
                }
            }
        }
        typed
    }
}

fn next(rest: &[u8]) -> NextPart {
    match rest {
        [0x1b, b'[', ..] => control(rest),
        [0x1b, b'O'] => NextPart::Open,
        [0x1b, b'O', letter, ..] => match cursor(*letter) {
            Some(name) => NextPart::Key(3, name),
            None => NextPart::Plain(3),
        },
        [0x1b, b']' | b'P' | b'_' | b'^', ..] => string(rest),
        // The Escape key itself, or Alt with another key.
        [0x1b, ..] => NextPart::Plain(1),
        _ => NextPart::Plain(rest.iter().position(|byte| *byte == 0x1b).unwrap_or(rest.len())),
    }
}

/// Decodes a control sequence: `ESC [`, parameters, a final letter.
fn control(rest: &[u8]) -> NextPart {
    let Some(end) = rest[2..].iter().position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 2) else {
        return if rest.len() > 64 { NextPart::Nothing(rest.len()) } else { NextPart::Open };
    };
    let (inside, letter, count) = (&rest[2..end], rest[end], end + 1);
    match (inside, letter) {
        // A report of the old mouse protocol has three more bytes.
        ([], b'M') => NextPart::Nothing((count + 3).min(rest.len())),
        ([], b'I' | b'O') => NextPart::Nothing(count),
        ([], letter) if cursor(letter).is_some() => NextPart::Key(count, cursor(letter).unwrap_or_default()),
        (b"200", b'~') => NextPart::Paste(BEGIN.len()),
        (b"201", b'~') => NextPart::Nothing(count),
        // Mouse reports, and answers of the terminal to queries of its properties.
        ([b'<' | b'?' | b'>' | b'=', ..], _) | (_, b'R' | b'c' | b'n' | b't' | b'y') => {
            NextPart::Nothing(count)
        }
        _ => NextPart::Plain(count),
    }
}

/// Decodes an answer that extends to its terminator.
fn string(rest: &[u8]) -> NextPart {
    let bell = rest.iter().position(|byte| *byte == 0x07).map(|at| at + 1);
    let end = find(rest, b"\x1b\\").map(|at| at + 2);
    match bell.into_iter().chain(end).min() {
        Some(count) => NextPart::Nothing(count),
        // This is Alt with that key if no more bytes follow.
        None if rest.len() == 2 => NextPart::Plain(2),
        None if rest.len() > 256 => NextPart::Nothing(rest.len()),
        None => NextPart::Open,
    }
}

fn cursor(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'A' => "Up",
        b'B' => "Down",
        b'C' => "Right",
        b'D' => "Left",
        b'H' => "Home",
        b'F' => "End",
        _ => return None,
    })
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> GuestInput {
        GuestInput::Bytes(text.as_bytes().to_vec())
    }

    fn paste(text: &str) -> GuestInput {
        GuestInput::Paste(text.as_bytes().to_vec())
    }

    #[test]
    fn typed_input_passes_and_terminal_replies_do_not() {
        for (sent, typed) in [
            ("hello\r", vec![bytes("hello\r")]),
            ("é\x03", vec![bytes("é\x03")]),
            ("\x1b", vec![bytes("\x1b")]),
            ("\x1bx", vec![bytes("\x1bx")]),
            ("a\x1b[Ab", vec![bytes("a"), GuestInput::Key("Up"), bytes("b")]),
            ("\x1bOD\x1b[H", vec![GuestInput::Key("Left"), GuestInput::Key("Home")]),
            ("\x1b[1;5C\x1b[3~\x1bOP", vec![bytes("\x1b[1;5C\x1b[3~\x1bOP")]),
            ("\x1b[200~two\nlines\x1b[201~x", vec![paste("two\nlines"), bytes("x")]),
            ("\x1b[<64;5;5M\x1b[<0;1;1m", vec![]),
            ("\x1b[M !!a", vec![bytes("a")]),
            ("\x1b[I\x1b[O", vec![]),
            ("\x1b[?62;4c\x1b[>41;354;0c\x1b[5;6R", vec![]),
            ("\x1b]11;rgb:0/0/0\x07a\x1bP>|xterm\x1b\\b", vec![bytes("ab")]),
        ] {
            assert_eq!(GuestInputDecoder::default().feed(sent.as_bytes()), typed, "{sent:?}");
        }
    }

    #[test]
    fn chunking_of_the_input_does_not_matter() {
        let sent = b"a\x1b[200~pas\x1b[Ate\x1b[201~b\x1b[<0;1;1Mc";
        for cut in 0..sent.len() {
            // A lone escape character is the Escape key.
            if sent[..cut].ends_with(b"\x1b") && !sent[..cut].starts_with(b"a\x1b[200~") {
                continue;
            }
            if sent[..cut].ends_with(b"b\x1b") {
                continue;
            }
            let mut decoder = GuestInputDecoder::default();
            let mut typed = decoder.feed(&sent[..cut]);
            typed.extend(decoder.feed(&sent[cut..]));
            let all: Vec<u8> = typed
                .iter()
                .flat_map(|sequence| match sequence {
                    GuestInput::Bytes(bytes) => bytes.clone(),
                    GuestInput::Paste(text) => [b"<", &text[..], b">"].concat(),
                    GuestInput::Key(name) => name.as_bytes().to_vec(),
                })
                .collect();
            assert_eq!(String::from_utf8_lossy(&all), "a<pas\x1b[Ate>bc", "cut at {cut}");
        }
    }

    #[test]
    fn malformed_input_is_bounded() {
        let mut decoder = GuestInputDecoder::default();
        for piece in [&b"\x1b["[..], &[b'1'; 5000], b"\x1b]", &[b'x'; 5000], b"\x1b[200~", &[b'p'; 3 << 20]] {
            decoder.feed(piece);
        }
        assert!(decoder.held.len() <= 256);
        assert!(decoder.paste.as_ref().is_none_or(|paste| paste.len() <= MAX_PENDING_BYTES));
    }
}
