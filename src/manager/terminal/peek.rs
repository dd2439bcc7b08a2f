//! `agent peek`: shows an agent's screen without attaching, or the end of its transcript if it has no screen.
//!
//! The result names the source of the text and the reason, so that a transcript is never mistaken for the screen.

use crate::error::Error;
use crate::manager::status::{AgentEvidence, StatusTracker};
use crate::manager::terminal::AgentScreens;
use crate::model::{AgentName, Status};
use crate::tmux::Capture;

/// Maximum number of transcript lines that replace a screen.
const LINES: usize = 48;

/// The result of `agent peek`.
#[derive(Debug)]
pub struct Peeked {
    /// The text, without trailing blank lines.
    pub text: String,
    /// The source of the text.
    pub from: PeekedFrom,
    /// The status of the agent.
    pub status: Status,
    /// Why the screen could not be read, if the agent may have one.
    pub silence: Option<Error>,
}

/// The source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PeekedFrom {
    /// The current screen.
    Screen,
    /// The end of the transcript.
    Transcript,
}

impl PeekedFrom {
    /// Returns the name of the source.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl AgentScreens<'_> {
    /// Returns the visible screen as text, or the end of the transcript if there is no screen.
    pub fn peek(&self, name: &AgentName) -> Result<Peeked, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        let Some(agent) = current_agents.agents.into_iter().find(|agent| agent.name == *name) else {
            return Err(self.0.no_such_agent(name, "peek"));
        };
        // The dead pane of a hibernated agent shows an empty screen.
        if let Some(tmux) = agent.tmux.as_ref().filter(|_| agent.status != Status::Hibernated) {
            let text = self.0.tmux()?.capture(&tmux.pane, Capture::Screen)?.trim_end().to_owned();
            return Ok(Peeked { text, from: PeekedFrom::Screen, status: agent.status, silence: None });
        }
        let record = self.0.record(name, "peek")?;
        let tail = AgentEvidence(self.0).transcript_tail(&record);
        let lines: Vec<&str> = tail.lines().skip_while(|line| line.trim().is_empty()).collect();
        let text = lines[lines.len().saturating_sub(LINES)..].join("\n").trim_end().to_owned();
        let silence = current_agents.silence.filter(|_| record.tmux.is_some());
        Ok(Peeked { text, from: PeekedFrom::Transcript, status: agent.status, silence })
    }
}
