//! Observes an agent during a delivery: its screen, its terminal, its transcript and its hook reports. Types nothing.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manager::delivery::type_and_confirm::PendingPrompt;
use crate::manager::status::AgentEvidence;
use crate::manager::status::evidence::AcceptedPrompt;
use crate::model::Status;
use crate::process::{self, TtyState};
use crate::rules::status::from_screen::StatusSource;
use crate::rules::tasks::confirm::shows;
use crate::tmux::Capture;

/// Number of screen lines that an error shows.
const SHOWN_LINES: usize = 8;

impl PendingPrompt<'_> {
    /// Returns the prompt that the agent accepted last, as its hook reported.
    pub(in crate::manager) fn reported_prompt(&self) -> Option<AcceptedPrompt> {
        AgentEvidence(self.manager).reported_prompt(&self.agent.name)
    }

    /// Returns the prompt that the agent accepted after `before`. Times are not compared, because the clock may be set
    /// back in between.
    pub(in crate::manager) fn reported_after(&self, before: Option<&AcceptedPrompt>) -> Option<String> {
        self.reported_prompt()
            .filter(|reported_prompt| Some(reported_prompt) != before)
            .map(|prompt| prompt.text)
    }

    pub(in crate::manager) fn reports_prompts(&self) -> bool {
        AgentEvidence(self.manager).status_source(&self.agent.name, &self.kind) == StatusSource::Hooks
    }

    pub(in crate::manager) fn noted(&self) -> Result<Status, Error> {
        let record = self.manager.record(&self.agent.name, "send")?;
        if !record.status.status.is_live() {
            return Err(Error::not_running(&record.name, record.status.reason));
        }
        // After a failed turn the agent is at its prompt, whatever the recorded status is.
        Ok(if record.status.failure().is_some() { Status::Idle } else { record.status.status })
    }

    pub(in crate::manager) fn styled(&self) -> Result<String, Error> {
        Ok(self.manager.tmux()?.capture(&self.pane, Capture::ScreenStyled)?)
    }

    pub(in crate::manager) fn screen(&self) -> Result<String, Error> {
        Ok(self.manager.tmux()?.capture(&self.pane, Capture::Screen)?)
    }

    pub(in crate::manager) fn screen_end(&self) -> Vec<String> {
        let text = self.screen().unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let mut end = vec!["its screen ends with:".to_owned()];
        end.extend(lines[lines.len().saturating_sub(SHOWN_LINES)..].iter().map(|line| format!("  {line}")));
        end
    }

    /// Returns the number of input bytes that the program has not read, and whether its terminal echoes.
    pub(in crate::manager) fn unread(&self) -> Result<(usize, bool), Error> {
        let tty = self.tty()?;
        Ok((tty.queued, tty.echo && tty.cooked))
    }

    /// Returns the current state of the agent's terminal. The terminal of a dead pane no longer exists or has been
    /// reused.
    pub(in crate::manager) fn tty(&self) -> Result<TtyState, Error> {
        let facts = self.manager.tmux()?.pane_facts(&self.pane)?;
        let gone = || Error::not_running(&self.agent.name, "its pane no longer exists");
        let facts = facts.filter(|facts| !facts.dead).ok_or_else(gone)?;
        process::tty_state(Path::new(&facts.tty)).map_err(Error::io("cannot inspect its terminal"))
    }

    fn transcript(&self) -> PathBuf {
        self.manager.store.instance(&self.agent.name).transcript()
    }

    pub(in crate::manager) fn printed(&self) -> u64 {
        std::fs::metadata(self.transcript()).map_or(0, |meta| meta.len())
    }

    pub(in crate::manager) fn printed_since(&self, before: u64, text: &str) -> bool {
        let Ok(mut file) = File::open(self.transcript()) else { return false };
        let mut new = Vec::new();
        // A shorter transcript is a new file that was started in the meantime.
        let from = if self.printed() < before { 0 } else { before };
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut new));
        read.is_ok() && shows(&String::from_utf8_lossy(&new), text)
    }
}
