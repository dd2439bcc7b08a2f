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

    /// Returns what several panes show, with styles, by one message to tmux. Fails if one of the panes is gone.
    pub fn captures(&self, panes: &[&str]) -> Result<Vec<String>, TmuxError> {
        if panes.is_empty() {
            return Ok(Vec::new());
        }
        // No program can print the separator, because it does not know it.
        let separator = uuid::Uuid::new_v4().to_string();
        let mut words = Vec::new();
        for pane in panes {
            let pane = target::pane(pane)?;
            words.extend(["capture-pane", "-p", "-e", "-t", pane, ";"]);
            words.extend(["display-message", "-p", "-t", pane, separator.as_str(), ";"]);
        }
        words.pop();
        let screens = self.ask("read screens", &words)?;
        Ok(screens.split(&separator).take(panes.len()).map(str::to_owned).collect())
    }
}
