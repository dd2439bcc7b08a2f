//! Commands written in tmux's configuration language, for `source-file -`. Whatever a word holds, tmux reads
//! exactly these bytes back: nothing is expanded, split or cut.

use tmux_interface::TmuxCommand;

use super::TmuxError;

/// Commands for tmux. Those of one line run until one fails.
#[derive(Default)]
pub(super) struct Script {
    text: Vec<u8>,
    holds_nul: bool,
}

impl Script {
    /// A command that runs when those before it on the line went well.
    pub(super) fn then(&mut self, command: &TmuxCommand<'_>) -> &mut Self {
        if !matches!(self.text.last(), None | Some(b'\n')) {
            self.text.extend_from_slice(b" ;");
        }
        self.words(command.to_vec().iter().map(|word| word.as_bytes()))
    }

    /// One more word for the last command.
    pub(super) fn word(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.holds_nul |= bytes.contains(&0);
        if !matches!(self.text.last(), None | Some(b'\n')) {
            self.text.push(b' ');
        }
        quote(bytes, &mut self.text);
        self
    }

    /// More words for the last command.
    pub(super) fn words(&mut self, words: impl IntoIterator<Item = impl AsRef<[u8]>>) -> &mut Self {
        for word in words {
            self.word(word);
        }
        self
    }

    /// Begins a line: what follows runs even when what came before failed.
    pub(super) fn anyway(&mut self) -> &mut Self {
        self.text.push(b'\n');
        self
    }

    /// The text, unless a word holds a NUL byte.
    pub(super) fn finish(self, what: &'static str) -> Result<Vec<u8>, TmuxError> {
        if self.holds_nul { Err(TmuxError::Nul { what }) } else { Ok(self.text) }
    }
}

/// Writes one word. Octal for all that could mean something: tmux drops white space after a newline in quotes,
/// and takes the byte 0xff for the end of the file.
fn quote(bytes: &[u8], text: &mut Vec<u8>) {
    text.push(b'"');
    for &byte in bytes {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b' '
            | b'_'
            | b'-'
            | b'.'
            | b'/'
            | b':'
            | b'='
            | 0x80..=0xfe => {
                text.push(byte);
            }
            _ => text.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
        }
    }
    text.push(b'"');
}

/// A command by its name, where the builders of `tmux_interface` have no word for it.
pub(super) fn command<'a>(words: &[&'a str]) -> TmuxCommand<'a> {
    let mut command = TmuxCommand::with_name(words[0]);
    for word in &words[1..] {
        command.push_param(*word);
    }
    command
}

/// A word as sh reads it back. NUL is left in, for the script to refuse.
pub(super) fn sh_word(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for &byte in bytes {
        if byte == b'\'' { word.extend_from_slice(b"'\\''") } else { word.push(byte) }
    }
    word.push(b'\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_something_become_octal() {
        let mut script = Script::default();
        script.then(&command(&["display-message", "a;b $x\n"])).then(&command(&["x"])).word("é").word("");
        let text = String::from_utf8(script.finish("test").unwrap()).unwrap();
        assert_eq!(text, r#""display-message" "a\073b \044x\012" ; "x" "é" """#);
    }

    #[test]
    fn a_nul_byte_is_refused() {
        let mut script = Script::default();
        script.word(b"a\0b");
        assert!(matches!(script.finish("a title"), Err(TmuxError::Nul { what: "a title" })));
    }
}
