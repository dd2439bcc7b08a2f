//! Unsaved work of an agent that is removed: a preview before the removal, and a copy that is kept after it.

use std::path::Path;

use crate::env::Env;
use crate::error::Error;
use crate::git::RecoveryPlan;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removed;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord, RecoveredWork, RecoveryRef, RemovalPreview, Workspace};
use crate::rules::workspace::recovery::{
    RECOVERY_PERIOD, RECOVERY_REFS, commands, copy_name, is_expired, kept_until,
};
use crate::store::recovered_folder;

impl AgentRemoval<'_> {
    /// Reports what removing an agent would delete. Changes nothing.
    pub fn removal_preview(&self, name: &AgentName) -> Result<RemovalPreview, Error> {
        let record = self.0.record(name, "rm")?;
        let running = self.has_processes(&record)?;
        let unsaved = Workspaces(self.0).unsaved_work(&record);
        let own = record.workspace != Workspace::InPlace;
        Ok(RemovalPreview {
            running,
            path: own.then(|| Workspaces(self.0).workspace_of(&record).display().to_string()),
            branch: record.branch.clone().filter(|_| record.workspace == Workspace::Worktree),
            summary: Workspaces(self.0).summary_of(&record, &unsaved),
            needs_force: running || !unsaved.is_empty(),
            workspace: record.workspace,
            name: record.name,
            unsaved,
        })
    }

    /// Returns shell commands that bring a copy of removed work back.
    pub fn recovery_commands(&self, work: &RecoveredWork) -> Vec<String> {
        commands(work)
    }

    /// Keeps a copy of everything that would be lost with an agent's workspace: a commit if git can store it, otherwise
    /// the directory itself. The agent must not be running.
    pub(in crate::manager) fn keep_unsaved_work(&self, record: &AgentRecord) -> Result<Removed, Error> {
        let unsaved = Workspaces(self.0).unsaved_work(record);
        if unsaved.is_empty() {
            return Ok(Removed::default());
        }
        let now = Env::now();
        let dir = self.0.store.create_recovered(&copy_name(&record.name, now))?;
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut copy = RecoveredWork {
            agent: record.name.clone(),
            name,
            at: now,
            until: kept_until(now),
            refs: Vec::new(),
            folder: None,
        };
        if record.workspace == Workspace::Worktree && unsaved.unknown.is_none() {
            copy.refs = self.store_in_git(record, &copy.name).unwrap_or_default();
        }
        let is_stored = !copy.refs.is_empty() || (unsaved.files.is_empty() && unsaved.unknown.is_none());
        if !is_stored {
            copy.folder = Some(recovered_folder(&dir));
        }
        if copy.refs.is_empty() && copy.folder.is_none() {
            // Commits on a branch and stashes stay in the repository.
            self.0.store.forget_recovered(&dir)?;
            return Ok(Removed { summary: Workspaces(self.0).summary_of(record, &unsaved), recovered: None });
        }
        // Written before the directory is moved: a copy without a description would never expire.
        self.0.store.write_recovered(&dir, &copy)?;
        if copy.folder.is_some() {
            self.0.store.move_to_recovered(&self.0.store.instance(&record.name).workspace(), &dir)?;
        }
        Ok(Removed { summary: Workspaces(self.0).summary_of(record, &unsaved), recovered: Some(copy) })
    }

    /// Stores unsaved work as commits. Returns `None` if git cannot store all of it.
    fn store_in_git(&self, record: &AgentRecord, name: &str) -> Option<Vec<RecoveryRef>> {
        let copied = Workspaces(self.0).worktree_note(record).copied;
        let left_out: Vec<String> =
            copied.iter().map(|path| format!(":(top,exclude,literal){}", path.display())).collect();
        let staging = self.0.store.staging().ok()?;
        let reference = format!("{RECOVERY_REFS}{name}");
        let subject = format!("uncommitted work of agent {}, removed by symposium", record.name);
        let plan = RecoveryPlan {
            reference: &reference,
            subject: &subject,
            left_out: &left_out,
            scratch: staging.path(),
        };
        let stored =
            self.0.git().patient().store_work(&Workspaces(self.0).workspace_of(record), plan).ok()?;
        let to_ref = |repository| RecoveryRef { repository, reference: reference.clone() };
        Some(stored.into_iter().map(to_ref).collect())
    }

    /// Deletes copies of removed work whose retention period is over, and old refs in `repository`.
    pub(in crate::manager) fn expire_recovered(&self, repository: &Path) {
        let (now, git) = (Env::now(), self.0.git());
        let before = now.checked_sub(RECOVERY_PERIOD).unwrap_or(jiff::Timestamp::MIN);
        if repository.is_dir() {
            let _ = git.delete_refs_before(repository, RECOVERY_REFS, before);
        }
        for (dir, copy) in self.0.store.recovered() {
            if !is_expired(copy.at, now) {
                continue;
            }
            // A repository that is gone has no refs to delete.
            let failed = copy.refs.iter().any(|saved| {
                saved.repository.is_dir()
                    && git.delete_refs_before(&saved.repository, RECOVERY_REFS, before).is_err()
            });
            if !failed {
                let _ = self.0.store.forget_recovered(&dir);
            }
        }
    }
}
