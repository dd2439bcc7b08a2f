//! Undoes an agent that could not be started or imported.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::git::Branches;
use crate::manager::registry::RegistryWriter;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::AgentName;
use crate::model::AgentRecord;

/// The state file with the rollback log; it is removed as soon as the agent has been started.
pub(in crate::manager) const HANDOFF_NOTE: &str = "handoff.json";

/// The rollback log of an import.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::manager) struct RollbackLog {
    /// Files outside of the state directory.
    pub files: Vec<PathBuf>,
    /// A branch of a repository, and the commit that it was created at.
    pub branch: Option<(PathBuf, String, String)>,
    /// A directory that was created.
    pub made: Option<PathBuf>,
}

impl Workspaces<'_> {
    /// Creates the directory of an agent whose removal was interrupted. The caller has found its record.
    pub(in crate::manager) fn ensure_directory(&self, name: &AgentName) -> Result<(), Error> {
        Ok(self.0.store.instance(name).create()?)
    }

    /// Returns whether the import of an agent was interrupted.
    pub(in crate::manager) fn is_half_moved(&self, record: &AgentRecord) -> bool {
        matches!(self.0.store.instance(&record.name).read_state(HANDOFF_NOTE), Ok(Some(_)))
    }

    /// Removes the files and the branch of an interrupted import, and reports a created directory without deleting it.
    /// The worktree has been removed before.
    pub(in crate::manager) fn forget_handoff(&self, record: &AgentRecord) {
        let Ok(Some(text)) = self.0.store.instance(&record.name).read_state(HANDOFF_NOTE) else { return };
        let note: RollbackLog = serde_json::from_slice(&text).unwrap_or_default();
        for file in &note.files {
            let _ = std::fs::remove_file(file);
        }
        if let Some((repository, branch, commit)) = &note.branch
            && let Err(error) = Branches(&self.0.git()).delete_at(repository, branch, commit)
        {
            self.0.notice(format!("branch `{branch}` may remain: {error}"));
        }
        if let Some(made) = note.made.filter(|made| made.exists()) {
            self.0.notice(format!(
                "`{}` was created for it and remains; remove it if it contains no files of yours",
                made.display()
            ));
        }
    }

    /// Removes everything that was created for an agent that could not be started.
    pub(in crate::manager) fn withdraw(&self, record: &AgentRecord) {
        WorkInspection(self.0).forget_worktree(record, BranchRemoval::IfEmpty);
        self.forget_handoff(record);
        let _ = RegistryWriter(self.0).write(|edit| edit.remove(&record.name));
        let _ = self.0.store.instance(&record.name).remove();
    }
}
