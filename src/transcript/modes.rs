//! What a program has switched on in its terminal, as seen in its output: older tmux cannot tell. Kept in
//! `state/terminal.json` of the agent's directory.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::directory::Directory;
use super::scan::Sequence;

const PLACE: &str = "state";
const FILE: &str = "terminal.json";

/// The modes of a terminal that decide how something is typed into it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalModes {
    /// Whether the program wants pasted text in brackets.
    pub bracketed_paste: bool,
    /// Whether it draws on the alternate screen.
    pub alternate: bool,
}

impl TerminalModes {
    /// Takes in one sequence of the program's output.
    pub(super) fn apply(&mut self, sequence: &Sequence) {
        match sequence {
            Sequence::On(modes) => self.switch(modes, true),
            Sequence::Off(modes) => self.switch(modes, false),
            Sequence::Reset => *self = TerminalModes::default(),
            Sequence::Resize(..) | Sequence::Erase(_) => {}
        }
    }

    fn switch(&mut self, modes: &[u16], on: bool) {
        for mode in modes {
            match mode {
                2004 => self.bracketed_paste = on,
                47 | 1047 | 1049 => self.alternate = on,
                _ => {}
            }
        }
    }

    /// Writes them down, at once.
    pub(super) fn save(&self, dir: &Directory) -> io::Result<()> {
        dir.inside(PLACE)?.replace(FILE, &serde_json::to_vec(self)?)
    }
}

/// The modes of an agent's terminal; none when its output has never been recorded.
pub fn modes(dir: &Path) -> io::Result<Option<TerminalModes>> {
    match std::fs::read(dir.join(PLACE).join(FILE)) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
