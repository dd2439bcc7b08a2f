//! `agent peek`: what an agent's screen shows, without attaching; its last words when it has no screen.

use super::Manager;
use crate::error::Error;
use crate::model::AgentName;
use crate::tmux::Capture;

/// How many lines of the transcript stand for a screen that is gone.
const LINES: usize = 48;

impl Manager {
    /// The visible screen as text, without trailing blank lines.
    pub fn peek(&self, name: &AgentName) -> Result<String, Error> {
        let agent = self.agent(name, "peek")?;
        let text = match &agent.tmux {
            Some(tmux) => self.tmux()?.capture(&tmux.pane, Capture::Screen)?,
            None => {
                let tail = self.transcript_tail(&self.record(name, "peek")?);
                let lines: Vec<&str> = tail.lines().collect();
                lines[lines.len().saturating_sub(LINES)..].join("\n")
            }
        };
        Ok(text.trim_end().to_owned())
    }
}
