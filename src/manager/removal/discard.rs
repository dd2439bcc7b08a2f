//! `agent discard`: removes an agent with all of its work, the branch of its worktree included. A copy of the work is
//! kept for 30 days.

use serde::Serialize;

use crate::error::Error;
use crate::git::UnsavedWorkSearch;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::{Removal, Removed};
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, Commit, RemovalPreview, Workspace};
use crate::rules::workspace::discard::{self, BranchFate};

/// Number of commits that are named before the rest is only counted.
const MAX_NAMED_COMMITS: usize = 20;

/// Everything that discarding an agent would remove. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct DiscardPreview {
    /// Preview of the removal of the agent.
    #[serde(flatten)]
    pub removal: RemovalPreview,
    /// The newest commits that exist nowhere else.
    pub log: Vec<Commit>,
    /// Whether the branch is removed: it was created for the agent.
    pub removes_branch: bool,
    /// The same as sentences.
    #[serde(skip)]
    pub lines: Vec<String>,
}

impl AgentRemoval<'_> {
    /// Reports what discarding an agent would remove. Changes nothing.
    pub fn discard_preview(&self, name: &AgentName) -> Result<DiscardPreview, Error> {
        let record = self.0.record(name, "discard")?;
        refuse_in_place(name, record.workspace)?;
        let removal = self.removal_preview(name)?;
        let note = Workspaces(self.0).worktree_note(&record);
        let top = Workspaces(self.0).workspace_of(&record);
        let log = match removal.unsaved.commits {
            0 => Vec::new(),
            _ => UnsavedWorkSearch(&self.0.git())
                .commits(&top, Some(&note.branch), MAX_NAMED_COMMITS)
                .unwrap_or_default(),
        };
        let removes_branch = record.workspace == Workspace::Worktree && note.made_branch;
        let fate = if removes_branch { BranchFate::Removed } else { BranchFate::Kept };
        let lines = discard::lines(&removal, &log, fate);
        Ok(DiscardPreview { removal, log, removes_branch, lines })
    }

    /// Ends an agent and removes it with its work. Keeps a copy of the work.
    pub fn discard(&self, name: &AgentName) -> Result<Removed, Error> {
        refuse_in_place(name, self.0.record(name, "discard")?.workspace)?;
        self.rm(name, Removal::Discard)
    }
}

/// Refuses an agent that works in place, because its changes cannot be told apart from those of the user.
fn refuse_in_place(name: &AgentName, workspace: Workspace) -> Result<(), Error> {
    if workspace != Workspace::InPlace {
        return Ok(());
    }
    Err(Error::not_safe(format!("agent `{name}` works in place, so its changes cannot be discarded"))
        .saw("they are mixed with your own changes in the same directory")
        .saw("nothing was changed")
        .hint(format!("see them with `symposium agent diff {name}`"))
        .hint(format!("remove the agent and keep the directory: `symposium agent rm --force {name}`")))
}
