//! Commands written in tmux's configuration language, for `source-file -`. Whatever a word holds, tmux reads
//! exactly these bytes back: nothing is expanded, split or cut.

use tmux_interface::TmuxCommand;

use super::TmuxError;

/// Commands for tmux. Those of one line run until one fails.
#[derive(Default)]
pub(super) struct Script {
    text: Vec<u8>,
    words: Vec<Vec<u8>>,
    has_lines: bool,
    holds_nul: bool,
}

/// The same commands as a text and, when they are one line, as the words of one command line.
pub(super) struct Spoken {
    /// For `source-file -`.
    pub text: Vec<u8>,
    /// For a client whose words nobody else can read.
    pub words: Option<Vec<Vec<u8>>>,
}

impl Script {
    /// A command that runs when those before it on the line went well.
    pub(super) fn then(&mut self, command: &TmuxCommand<'_>) -> &mut Self {
        if !matches!(self.text.last(), None | Some(b'\n')) {
            self.text.extend_from_slice(b" ;");
            self.words.push(b";".to_vec());
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
        self.words.push(as_argument(bytes));
        self
    }

    /// More words for the last command.
    pub(super) fn words(&mut self, words: impl IntoIterator<Item = impl AsRef<[u8]>>) -> &mut Self {
        for word in words {
            self.word(word);
        }
        self
    }

    /// One more word in which formats are left for tmux to expand before it reads the command: for `run-shell -C`.
    pub(super) fn raw(&mut self, format: &str) -> &mut Self {
        self.text.push(b' ');
        self.text.push(b'"');
        self.text.extend_from_slice(format.as_bytes());
        self.text.push(b'"');
        self.words.push(format.as_bytes().to_vec());
        self
    }

    /// What another script says, behind this one.
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

    /// Begins a line: what follows runs even when what came before failed.
    pub(super) fn anyway(&mut self) -> &mut Self {
        self.text.push(b'\n');
        self.has_lines = true;
        self
    }

    /// The text, unless a word holds a NUL byte.
    pub(super) fn finish(self, what: &'static str) -> Result<Vec<u8>, TmuxError> {
        self.spoken(what).map(|spoken| spoken.text)
    }

    /// The same, both ways.
    pub(super) fn spoken(self, what: &'static str) -> Result<Spoken, TmuxError> {
        match self.holds_nul {
            true => Err(TmuxError::Nul { what }),
            false => Ok(Spoken { text: self.text, words: (!self.has_lines).then_some(self.words) }),
        }
    }
}

/// A word as an argument of a client: only a `;` at its end would mean something.
fn as_argument(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [front @ .., b';'] => [front, b"\\;"].concat(),
        _ => bytes.to_vec(),
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
    fn one_line_is_also_the_words_of_a_command_line() {
        let mut script = Script::default();
        script.then(&command(&["a", "x;", "\\;", ";"])).then(&command(&["b"])).word("y;z");
        let words = script.spoken("test").unwrap().words.unwrap();
        let words: Vec<_> = words.iter().map(|word| str::from_utf8(word).unwrap()).collect();
        assert_eq!(words, ["a", "x\\;", "\\\\;", "\\;", ";", "b", "y;z"]);
        let mut script = Script::default();
        script.then(&command(&["a"])).anyway().then(&command(&["b"]));
        assert!(script.spoken("test").unwrap().words.is_none());
    }

    #[test]
    fn a_nul_byte_is_refused() {
        let mut script = Script::default();
        script.word(b"a\0b");
        assert!(matches!(script.finish("a title"), Err(TmuxError::Nul { what: "a title" })));
    }
}
