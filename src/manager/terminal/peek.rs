//! `agent peek`: what an agent's screen shows, without attaching; its last words when it has no screen.
//!
//! What is not its screen is never given for it: it is said where the text is from, and why.

use crate::error::Error;
use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use crate::model::{AgentName, Status};
use crate::tmux::Capture;

/// How many lines of the transcript stand for a screen that is gone.
const LINES: usize = 48;

/// What was seen of an agent.
#[derive(Debug)]
pub struct Peeked {
    /// The text, without trailing blank lines.
    pub text: String,
    /// Where it is from.
    pub from: PeekedFrom,
    /// What it does.
    pub status: Status,
    /// Why its screen could not be looked at, when it may have one.
    pub silence: Option<Error>,
}

/// Where a text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeekedFrom {
    /// Its screen, as it is now.
    Screen,
    /// The end of what it has printed.
    Transcript,
}

impl PeekedFrom {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            PeekedFrom::Screen => "screen",
            PeekedFrom::Transcript => "transcript",
        }
    }
}

impl Terminals<'_> {
    /// The visible screen as text, or the end of the transcript where there is none to be seen.
    pub fn peek(&self, name: &AgentName) -> Result<Peeked, Error> {
        let survey = StatusTracker(self.0).survey()?;
        let Some(agent) = survey.agents.into_iter().find(|agent| agent.name == *name) else {
            return Err(self.0.no_such_agent(name, "peek"));
        };
        // The dead pane of a hibernated agent shows an empty screen.
        if let Some(tmux) = agent.tmux.as_ref().filter(|_| agent.status != Status::Hibernated) {
            let text = self.0.tmux()?.capture(&tmux.pane, Capture::Screen)?.trim_end().to_owned();
            return Ok(Peeked { text, from: PeekedFrom::Screen, status: agent.status, silence: None });
        }
        let record = self.0.record(name, "peek")?;
        let tail = StatusTracker(self.0).transcript_tail(&record);
        let lines: Vec<&str> = tail.lines().skip_while(|line| line.trim().is_empty()).collect();
        let text = lines[lines.len().saturating_sub(LINES)..].join("\n").trim_end().to_owned();
        let silence = survey.silence.filter(|_| record.tmux.is_some());
        Ok(Peeked { text, from: PeekedFrom::Transcript, status: agent.status, silence })
    }
}
