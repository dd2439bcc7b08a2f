//! What was made for an agent that was being taken over, written down before it is made, so that a failure, or the next
//! command after a `kill -9`, can take it back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::manager::Manager;
use crate::model::AgentRecord;

/// The state file; it is gone as soon as the agent has been started.
const NOTE: &str = "handoff.json";

/// What is to be taken back.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MovingNote {
    /// Files outside of our directory.
    pub files: Vec<PathBuf>,
    /// A branch of a repository, and the commit that it was made at.
    pub branch: Option<(PathBuf, String, String)>,
    /// A directory that was made.
    pub made: Option<PathBuf>,
}

impl Manager {
    pub(super) fn note_moving(&self, record: &AgentRecord, note: &MovingNote) -> Result<(), Error> {
        let text = serde_json::to_vec(note)
            .map_err(|error| Error::io(format!("cannot write {NOTE}"))(error.into()))?;
        Ok(self.store.instance(&record.name).write_state(NOTE, &text)?)
    }

    /// What is written down so far.
    pub(super) fn moving_note(&self, record: &AgentRecord) -> MovingNote {
        let text = self.store.instance(&record.name).read_state(NOTE).ok().flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// It has come to live here.
    pub(super) fn note_moved(&self, record: &AgentRecord) -> Result<(), Error> {
        Ok(self.store.instance(&record.name).remove_state(NOTE)?)
    }

    /// Whether somebody was cut short while taking it over.
    pub(in crate::manager) fn is_half_moved(&self, record: &AgentRecord) -> bool {
        matches!(self.store.instance(&record.name).read_state(NOTE), Ok(Some(_)))
    }

    /// Takes back what was made for an agent that was never taken over to the end. Its worktree is gone by then.
    pub(in crate::manager) fn forget_handoff(&self, record: &AgentRecord) {
        let Ok(Some(text)) = self.store.instance(&record.name).read_state(NOTE) else { return };
        let note: MovingNote = serde_json::from_slice(&text).unwrap_or_default();
        for file in &note.files {
            let _ = std::fs::remove_file(file);
        }
        if let Some((repository, branch, commit)) = &note.branch
            && let Err(error) = self.git().drop_branch_at(repository, branch, commit)
        {
            self.notice(format!("branch `{branch}` may be left: {error}"));
        }
        if let Some(made) = note.made.filter(|made| made.exists()) {
            self.notice(format!(
                "`{}` was begun for it and is left: remove it if nothing of yours is in it",
                made.display()
            ));
        }
    }
}
