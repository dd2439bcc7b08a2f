//! The last lines of an agent that ended.

use crate::manager::status::AgentEvidence;
use crate::model::AgentRecord;
use crate::tmux::Capture;
use crate::transcript::{self, TerminalSize};

/// Number of lines of an ended agent that are shown.
const LAST_LINES: usize = 12;
/// Size of the screen on which a transcript is replayed: the size that agents start with.
pub(in crate::manager) const SCREEN: TerminalSize = TerminalSize { rows: 48, cols: 160 };

impl AgentEvidence<'_> {
    /// Returns the end of an agent's output: from its dead pane while that exists, otherwise from its transcript.
    pub(in crate::manager) fn last_lines(&self, record: &AgentRecord) -> Vec<String> {
        let pane = record.tmux.as_ref().map(|location| location.pane.as_str());
        let screen = pane.and_then(|pane| self.0.tmux().ok()?.capture(pane, Capture::All).ok());
        let text = screen.unwrap_or_else(|| self.transcript_tail(record));
        let is_tmuxs =
            |line: &str| line.starts_with("Pane is dead") || line.starts_with(" the agent has ended");
        let is_words = |line: &&str| !line.is_empty() && !is_tmuxs(line);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(is_words).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].iter().map(ToString::to_string).collect()
    }

    /// Returns the end of the transcript as the terminal showed it.
    pub(in crate::manager) fn transcript_tail(&self, record: &AgentRecord) -> String {
        let instance = self.0.store.instance(&record.name);
        let mut text = Vec::new();
        if let Ok(tail) = transcript::tail(instance.dir(), 64 * 1024) {
            let _ = transcript::plain(&tail[..], &mut text, SCREEN);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}
