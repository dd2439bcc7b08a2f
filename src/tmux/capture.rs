//! Captures the contents of panes. The result is always the program's own screen, also while the pane is in copy mode.

use super::{Tmux, TmuxError, target};

/// Part of a pane to capture, and its format.
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
    /// Returns the contents of the pane. For a dead pane these are the contents at the time its process ended.
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

    /// Returns the contents of several panes with styles, in a single tmux call. Fails if one of the panes does not
    /// exist.
    pub fn captures(&self, panes: &[&str]) -> Result<Vec<String>, TmuxError> {
        if panes.is_empty() {
            return Ok(Vec::new());
        }
        // A random separator that no program can know and therefore cannot print.
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
