//! Captures the contents of panes. The result is always the program's own screen, also while the pane is in copy mode.

use serde::{Deserialize, Serialize};

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

/// The contents of a pane with the data that is needed to draw it elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneScreen {
    /// Width in columns.
    pub width: u16,
    /// Height in lines.
    pub height: u16,
    /// Column and line of the cursor, counted from 0.
    pub cursor: (u16, u16),
    /// Whether the program shows its cursor.
    pub has_cursor: bool,
    /// Whether the program uses the alternate screen.
    pub alternate: bool,
    /// Lines above the screen, oldest first, with colours and attributes.
    pub history: Vec<String>,
    /// Lines of the screen, with colours and attributes.
    pub lines: Vec<String>,
}

const SCREEN: &str =
    "#{pane_id}|#{pane_width}|#{pane_height}|#{cursor_x}|#{cursor_y}|#{cursor_flag}|#{alternate_on}";

impl Tmux {
    /// Returns the screen of a pane with its size and cursor and at most `history` lines above it, all at the same
    /// moment. Returns `None` if the pane certainly does not exist.
    pub fn pane_screen(&self, pane: &str, history: usize) -> Result<Option<PaneScreen>, TmuxError> {
        let pane = target::pane(pane)?;
        let start = format!("-{history}");
        let words = [
            "display-message",
            "-p",
            "-t",
            pane,
            SCREEN,
            ";",
            "capture-pane",
            "-p",
            "-e",
            "-S",
            &start,
            "-t",
            pane,
        ];
        let text = match self.run_words("read a screen", &words) {
            Err(other) if other.is_absence() => return Ok(None),
            other => other?,
        };
        let garbled = || TmuxError::Garbled {
            what: "read a screen",
            output: text.lines().next().unwrap_or("").to_owned(),
        };
        let (head, body) = text.split_once('\n').ok_or_else(garbled)?;
        // `display-message` answers for another pane if this one does not exist.
        match head.strip_prefix(pane).and_then(|rest| rest.strip_prefix('|')) {
            Some(facts) => parse_screen(facts, body).map(Some).ok_or_else(garbled),
            None => Ok(None),
        }
    }

    /// Returns the contents of the pane. For a dead pane these are the contents at the time its process ended.
    pub fn capture(&self, pane: &str, what: Capture) -> Result<String, TmuxError> {
        let pane = target::pane(pane)?;
        let mut words = vec!["capture-pane", "-p", "-t", pane];
        words.extend_from_slice(match what {
            Capture::Screen => &["-J"],
            Capture::ScreenStyled => &["-e"],
            Capture::All => &["-J", "-S", "-", "-E", "-"],
        });
        self.run_words("read a screen", &words)
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
        let screens = self.run_words("read screens", &words)?;
        Ok(screens.split(&separator).take(panes.len()).map(str::to_owned).collect())
    }
}

fn parse_screen(facts: &str, body: &str) -> Option<PaneScreen> {
    let mut numbers = facts.split('|').map(|field| field.parse::<u16>().ok());
    let mut number = || numbers.next().flatten();
    let (width, height, cursor) = (number()?, number()?, (number()?, number()?));
    let (has_cursor, alternate) = (number()? > 0, number()? > 0);
    let mut history: Vec<String> = body.trim_end_matches('\r').lines().map(str::to_owned).collect();
    let lines = history.split_off(history.len().saturating_sub(height.into()));
    Some(PaneScreen { width, height, cursor, has_cursor, alternate, history, lines })
}
