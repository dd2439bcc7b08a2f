//! The terminal modes that a program has enabled, derived from its output because older versions of tmux do not report
//! them. They are stored in `state/terminal.json` in the agent's directory.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::directory::TranscriptDir;
use super::scan::ModeSequence;

const STATE_DIR: &str = "state";
const MODES_FILE: &str = "terminal.json";

/// The terminal modes that determine how input is typed into a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalModes {
    /// Whether the program has enabled bracketed paste.
    pub bracketed_paste: bool,
    /// Whether the program draws on the alternate screen.
    pub alternate: bool,
}

impl TerminalModes {
    /// Updates the modes with one escape sequence from the program's output.
    pub(super) fn apply(&mut self, sequence: &ModeSequence) {
        match sequence {
            ModeSequence::On(modes) | ModeSequence::Off(modes) => {
                let is_on = matches!(sequence, ModeSequence::On(_));
                for mode in modes {
                    if let Some(field) = self.field(*mode) {
                        *field = is_on;
                    }
                }
            }
            ModeSequence::Reset => *self = TerminalModes::default(),
            ModeSequence::Resize(..) | ModeSequence::Erase(_) => {}
        }
    }

    /// Returns the field for a mode of DECSET, or `None` if it is not recorded.
    fn field(&mut self, mode: u16) -> Option<&mut bool> {
        match mode {
            2004 => Some(&mut self.bracketed_paste),
            47 | 1047 | 1049 => Some(&mut self.alternate),
            _ => None,
        }
    }

    /// Stores the modes, replacing the file atomically.
    pub(super) fn save(&self, dir: &TranscriptDir) -> io::Result<()> {
        dir.inside(STATE_DIR)?.replace(MODES_FILE, &serde_json::to_vec(self)?)
    }
}

/// Returns the modes of an agent's terminal, or `None` if its output has never been recorded.
pub fn modes(dir: &Path) -> io::Result<Option<TerminalModes>> {
    match std::fs::read(dir.join(STATE_DIR).join(MODES_FILE)) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
