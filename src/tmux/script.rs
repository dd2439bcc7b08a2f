//! Commands in tmux's configuration language, for `source-file -`. tmux reads every argument back byte by byte: nothing
//! is expanded, split or truncated.

use tmux_interface::TmuxCommand;

use super::TmuxError;

/// Sequence of tmux commands. The commands of one line run until one of them fails.
#[derive(Default)]
pub(super) struct Script {
    text: Vec<u8>,
    words: Vec<Vec<u8>>,
    has_lines: bool,
    holds_nul: bool,
}

/// A finished script as text and, if it is a single line, as the arguments of one command line.
pub(super) struct FinishedScript {
    /// Text for `source-file -`.
    pub text: Vec<u8>,
    /// Arguments for the client protocol, where other users cannot read them.
    pub words: Option<Vec<Vec<u8>>>,
}

impl Script {
    /// Adds a command. It runs if all commands before it on the line succeeded.
    pub(super) fn then(&mut self, command: &TmuxCommand<'_>) -> &mut Self {
        if !matches!(self.text.last(), None | Some(b'\n')) {
            self.text.extend_from_slice(b" ;");
            self.words.push(b";".to_vec());
        }
        self.words(command.to_vec().iter().map(|word| word.as_bytes()))
    }

    /// Adds an argument to the last command.
    pub(super) fn word(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.holds_nul |= bytes.contains(&0);
        if !matches!(self.text.last(), None | Some(b'\n')) {
            self.text.push(b' ');
        }
        quote(bytes, &mut self.text);
        self.words.push(as_argument(bytes));
        self
    }

    /// Adds several arguments to the last command.
    pub(super) fn words(&mut self, words: impl IntoIterator<Item = impl AsRef<[u8]>>) -> &mut Self {
        for word in words {
            self.word(word);
        }
        self
    }

    /// Adds an argument in which tmux expands formats before it parses the command, for `run-shell -C`.
    pub(super) fn raw(&mut self, format: &str) -> &mut Self {
        self.text.push(b' ');
        self.text.push(b'"');
        self.text.extend_from_slice(format.as_bytes());
        self.text.push(b'"');
        self.words.push(format.as_bytes().to_vec());
        self
    }

    /// Appends the commands of another script to the current line.
    pub(super) fn append(&mut self, other: &Script) {
        if !other.text.is_empty() {
            if !self.text.is_empty() {
                self.text.extend_from_slice(b" ;");
                self.words.push(b";".to_vec());
                self.text.push(b' ');
            }
            self.text.extend_from_slice(&other.text);
            self.words.extend_from_slice(&other.words);
            self.has_lines |= other.has_lines;
            self.holds_nul |= other.holds_nul;
        }
    }

    /// Begins a new line: the commands that follow run even if those before failed.
    pub(super) fn begin_line(&mut self) -> &mut Self {
        self.text.push(b'\n');
        self.has_lines = true;
        self
    }

    /// Returns the text. Fails if an argument contains a NUL byte.
    pub(super) fn finish(self, what: &'static str) -> Result<Vec<u8>, TmuxError> {
        self.into_request(what).map(|script| script.text)
    }

    /// Returns both forms of the script. Fails if an argument contains a NUL byte.
    pub(super) fn into_request(self, what: &'static str) -> Result<FinishedScript, TmuxError> {
        match self.holds_nul {
            true => Err(TmuxError::Nul { what }),
            false => Ok(FinishedScript { text: self.text, words: (!self.has_lines).then_some(self.words) }),
        }
    }
}

/// Escapes an argument for the client protocol, where only a `;` at the end has a meaning.
fn as_argument(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [front @ .., b';'] => [front, b"\\;"].concat(),
        _ => bytes.to_vec(),
    }
}

/// Appends an argument in quotes. Every byte that may have a meaning is written in octal: tmux drops white space after
/// a newline in quotes, and treats the byte 0xff as the end of the file.
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

/// Creates a command by its name, for commands that `tmux_interface` has no builder for.
pub(super) fn command<'a>(words: &[&'a str]) -> TmuxCommand<'a> {
    let mut command = TmuxCommand::with_name(words[0]);
    for word in &words[1..] {
        command.push_param(*word);
    }
    command
}

/// Quotes an argument for `sh`. NUL bytes are kept, so that the script rejects them.
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
    fn special_bytes_become_octal() {
        let mut script = Script::default();
        script.then(&command(&["display-message", "a;b $x\n"])).then(&command(&["x"])).word("é").word("");
        let text = String::from_utf8(script.finish("test").unwrap()).unwrap();
        assert_eq!(text, r#""display-message" "a\073b \044x\012" ; "x" "é" """#);
    }

    #[test]
    fn one_line_is_also_the_words_of_a_command_line() {
        let mut script = Script::default();
        script.then(&command(&["a", "x;", "\\;", ";"])).then(&command(&["b"])).word("y;z");
        let words = script.into_request("test").unwrap().words.unwrap();
        let words: Vec<_> = words.iter().map(|word| str::from_utf8(word).unwrap()).collect();
        assert_eq!(words, ["a", "x\\;", "\\\\;", "\\;", ";", "b", "y;z"]);
        let mut script = Script::default();
        script.then(&command(&["a"])).begin_line().then(&command(&["b"]));
        assert!(script.into_request("test").unwrap().words.is_none());
    }

    #[test]
    fn a_nul_byte_is_refused() {
        let mut script = Script::default();
        script.word(b"a\0b");
        assert!(matches!(script.finish("a title"), Err(TmuxError::Nul { what: "a title" })));
    }
}
