//! `agent rm`: removes an agent and all its files. The session is closed first, then the files are deleted, then the
//! record, so that an interrupted removal can be repeated.

use std::time::Duration;

use crate::error::{Error, indented};
use crate::failpoint;
use crate::manager::agent_process::target_of;
use crate::manager::checkpoints::Checkpoints;
use crate::manager::launch::Launcher;
use crate::manager::lifecycle::Termination;
use crate::manager::lifecycle::rename::adopt;
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::{AgentName, AgentRecord, RecoveredWork, Workspace};
use crate::process;
use crate::rules::workspace::unsaved_work::ignored_remark;
use crate::store::{AgentLock, AgentLocks};

/// How long the processes of a removed agent get to exit before they are killed.
const REMOVAL_GRACE: Duration = Duration::from_secs(2);

/// Whether an agent may be removed that is running or holds unsaved work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Refuse to remove a running agent, and one whose workspace contains unsaved work.
    Careful,
    /// End a running agent, and keep a copy of its unsaved work for a limited time.
    Force,
    /// Do the same, and remove the branch of its worktree too. The copy contains the commits of the branch.
    Discard,
}

/// Result of removing an agent.
#[derive(Debug, Default)]
pub struct Removed {
    /// Unsaved work that was removed, one sentence for each kind.
    pub summary: Vec<String>,
    /// Ref or directory with the copy of that work.
    pub recovered: Option<RecoveredWork>,
}

impl AgentRemoval<'_> {
    /// Removes an agent with its files and its record.
    pub fn rm(&self, name: &AgentName, removal: Removal) -> Result<Removed, Error> {
        let lock = AgentLocks(&self.0.store).lock(name, "rm")?;
        let record = self.0.record(name, "rm")?;
        StatusTracker(self.0).finish_move(&record)?;
        let note = Workspaces(self.0).worktree_note(&record);
        let removed = match removal {
            Removal::Careful => {
                self.refuse_while_running(&record)?;
                WorkInspection(self.0).refuse_to_lose_work(&record)?;
                self.refuse_shared(&record)?;
                // Commits that only the reflog has are no unsaved work, but they would be deleted some time later.
                let removed = self.keep_unsaved_work(&record, removal)?;
                self.remove_locked(&record, BranchRemoval::IfEmpty, &lock)?;
                removed
            }
            Removal::Force | Removal::Discard => {
                match removal {
                    Removal::Discard => self.refuse_shared(&record)?,
                    _ => self.name_sharing_agents(&record)?,
                }
                self.name_ignored_files(&record);
                Termination(self.0).kill_locked(&record, REMOVAL_GRACE, &lock)?;
                // Done after the kill, because the agent may have written files until it ended.
                let removed = self.keep_unsaved_work(&record, removal)?;
                failpoint::reached("rm.kept");
                let branch = match removal {
                    Removal::Discard => BranchRemoval::IfStored,
                    _ => BranchRemoval::IfEmpty,
                };
                self.remove_locked(&record, branch, &lock)?;
                removed
            }
        };
        lock.release_and_remove();
        self.expire_recovered(&note.repository);
        Ok(removed)
    }

    fn refuse_while_running(&self, record: &AgentRecord) -> Result<(), Error> {
        if !self.has_processes(record)? {
            return Ok(());
        }
        let found = WorkInspection(self.0).summary_of(record, &WorkInspection(self.0).unsaved_work(record));
        let name = &record.name;
        let mut error = Error::still_running(name);
        if !found.is_empty() {
            error = error.saw("its workspace contains unsaved work:").saw_all(indented(&found));
        }
        Err(error.saw("nothing was changed").hint(format!("end it first: `symposium agent kill {name}`")))
    }

    fn refuse_shared(&self, record: &AgentRecord) -> Result<(), Error> {
        match record.workspace {
            Workspace::InPlace => Ok(()),
            _ => StatusTracker(self.0).refuse_shared(record, &Workspaces(self.0).workspace_of(record)),
        }
    }

    fn name_sharing_agents(&self, record: &AgentRecord) -> Result<(), Error> {
        for other in self.sharing_agents(record)? {
            self.0.notice(format!(
                "agent `{other}` works in the directory of `{}`, which is removed",
                record.name
            ));
        }
        Ok(())
    }

    fn name_ignored_files(&self, record: &AgentRecord) {
        let remark = ignored_remark(&WorkInspection(self.0).ignored_files(record));
        remark.into_iter().for_each(|remark| self.0.notice(remark));
    }

    /// Returns whether any process of an agent is running.
    pub(in crate::manager) fn has_processes(&self, record: &AgentRecord) -> Result<bool, Error> {
        let tree = process::tree(&target_of(self.0.home(), record))
            .map_err(Error::io("cannot inspect processes"))?;
        Ok(!tree.is_empty())
    }

    pub(in crate::manager) fn remove_locked(
        &self,
        record: &AgentRecord,
        branch: BranchRemoval,
        lock: &AgentLock,
    ) -> Result<(), Error> {
        Termination(self.0).kill_locked(record, REMOVAL_GRACE, lock)?;
        failpoint::reached("rm.killed");
        // Held until the files are gone, so that no checkpoint is stored in the meantime.
        let _checkpoints = Checkpoints(self.0).forget(record);
        WorkInspection(self.0).forget_worktree(record, branch);
        Workspaces(self.0).forget_handoff(record);
        Launcher(self.0).forget_editor(record.id)?;
        self.0.store.instance(&record.name).remove()?;
        failpoint::reached("rm.files");
        // Identified by id, not by name: a later agent of the same name must not receive this mail.
        if let Err(error) = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.drop_mail(record.id))
        {
            self.0.notice(format!("mail of `{}` could not be deleted: {error}", record.name));
        }
        RegistryWriter(self.0).write(|edit| {
            // The children get their grandparent as parent; a later agent of the same name must not become their
            // parent.
            adopt(edit, &record.name, record.parent.as_ref());
            edit.remove(&record.name)
        })?;
        Ok(())
    }
}
