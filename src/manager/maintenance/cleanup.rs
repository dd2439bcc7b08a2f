//! Periodic clean-up: marks agents whose directory was deleted, removes them if the configuration says so, and deletes
//! old ledger entries. Never touches uncommitted work.

use std::path::Path;

use jiff::Timestamp;

use crate::base::plural::counted;
use crate::error::Error;
use crate::manager::checkpoints::Checkpoints;
use crate::manager::maintenance::Maintenance;
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removal;
use crate::model::{AfterDeletion, Agent, AgentName, AgentRecord, EventKind};
use crate::store::AgentLocks;

impl Maintenance<'_> {
    /// Marks agents whose directory was deleted or exists again. Returns those whose directory was deleted since the
    /// last call.
    pub fn mark_directories(&self, agents: &[Agent]) -> Result<Vec<AgentName>, Error> {
        let mut gone = Vec::new();
        for agent in agents {
            // A directory that cannot be examined does not count as deleted.
            let Ok(is_there) = Path::new(&agent.working_directory).try_exists() else { continue };
            if is_there == agent.directory_gone.is_some() {
                // The lock excludes a concurrent `rm`, which deletes the worktree before the record.
                let Some(_lock) = AgentLocks(&self.0.store).try_lock(&agent.name, "look")? else { continue };
                self.mark_directory(agent, (!is_there).then(|| self.0.now()))?;
                if !is_there {
                    gone.push(agent.name.clone());
                }
            }
        }
        Ok(gone)
    }

    /// Performs the clean-up that is due. Returns one sentence for each change.
    pub fn clean_up(&self, agents: &[Agent]) -> Result<Vec<String>, Error> {
        let mut done = Vec::new();
        let config = self.0.settings();
        if config.cleanup.deleted_projects == AfterDeletion::Prune {
            let before = self.0.now() - config.cleanup.after;
            for agent in agents.iter().filter(|agent| !agent.status.is_live()) {
                if agent.directory_gone.is_some_and(|gone| gone < before) {
                    done.push(match AgentRemoval(self.0).rm(&agent.name, Removal::Careful) {
                        Ok(_) => format!("{} was removed: its project no longer exists", agent.name),
                        Err(error) => format!("{} is kept: {error}", agent.name),
                    });
                }
            }
        }
        let forgotten = RegistryWriter(self.0)
            .with_ledger(|ledger| ledger.forget_before(self.0.now() - config.ledger.keep))?;
        if forgotten > 0 {
            done.push(format!("{} of the ledger removed", counted(forgotten, "old line", "old lines")));
        }
        RegistryWriter(self.0).with_ledger(|ledger| ledger.checkpoint())?;
        self.retire_locks()?;
        AgentRemoval(self.0).expire_recovered(Path::new(""));
        Checkpoints(self.0).expire_all()?;
        let swept = self.0.store.sweep(self.0.now())? + self.remove_unused_instances()?;
        if swept > 0 {
            done.push(format!("{} of interrupted commands removed", counted(swept, "leftover", "leftovers")));
        }
        Ok(done)
    }

    /// Removes instance directories that belong to no agent and are empty. Returns their number.
    fn remove_unused_instances(&self) -> Result<usize, Error> {
        let mut count = 0;
        for name in self.0.store.unused_instances() {
            let Some(lock) = AgentLocks(&self.0.store).try_lock(&name, "tidy")? else { continue };
            let records = self.0.store.read(self.0.now())?;
            let is_known =
                |record: &AgentRecord| record.name == name || record.renamed_from.as_ref() == Some(&name);
            if !records.iter().any(is_known) {
                self.0.store.instance(&name).remove_unused()?;
                lock.release_and_remove();
                count += 1;
            }
        }
        Ok(count)
    }

    /// Removes the locks of unknown names. Commands with an unknown name and killed commands leave them behind.
    fn retire_locks(&self) -> Result<(), Error> {
        for name in AgentLocks(&self.0.store).names()? {
            if self.0.store.find(&name, self.0.now())?.is_some() {
                continue;
            }
            if let Some(lock) = AgentLocks(&self.0.store).try_lock(&name, "tidy")?
                // Checks again under the lock, because a spawn stores the record before it releases the lock.
                && self.0.store.find(&name, self.0.now())?.is_none()
            {
                lock.release_and_remove();
            }
        }
        Ok(())
    }

    /// Records since when the directory of an agent is gone, or that it exists again.
    fn mark_directory(&self, agent: &Agent, gone_since: Option<Timestamp>) -> Result<(), Error> {
        let written = RegistryWriter(self.0).write(|edit| {
            let mut record = edit.get(&agent.name).ok().flatten()?;
            record.directory_gone = gone_since;
            Some(edit.put(record))
        })?;
        if let Some(record) = written.filter(|record| record.directory_gone.is_some()) {
            let why = format!("its directory {} no longer exists", record.working_directory);
            RegistryWriter(self.0).record_event(&record, EventKind::Orphaned, why);
        }
        Ok(())
    }
}
