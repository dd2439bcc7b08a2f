//! Reading what a pane shows. Copy mode does not change the answer: it is always the program's own screen.

use super::{Tmux, TmuxError, target};

/// Which part of a pane, in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// The visible screen as text, wrapped lines joined.
    Screen,
    /// The visible screen line by line, with colours and attributes.
    ScreenStyled,
    /// The whole history and the screen as text, wrapped lines joined.
    All,
}

impl Tmux {
    /// What the pane shows, or showed when its process ended.
    pub fn capture(&self, pane: &str, what: Capture) -> Result<String, TmuxError> {
        let pane = target::pane(pane)?;
        let mut words = vec!["capture-pane", "-p", "-t", pane];
        words.extend_from_slice(match what {
            Capture::Screen => &["-J"],
            Capture::ScreenStyled => &["-e"],
            Capture::All => &["-J", "-S", "-", "-E", "-"],
        });
        self.ask("read a screen", &words)
    }
}
