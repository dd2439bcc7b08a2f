//! Ephemeral agents: removes them with their instance directory when their first task is done. That task is in the
//! ledger from the spawn on, and its result stays there. An agent whose removal would lose unsaved work is kept and is
//! no longer ephemeral.

use crate::error::Error;
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removal;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::{AgentName, AgentRecord};
use crate::rules::lifecycle::ephemeral::is_done;
use crate::store::AgentLocks;

/// The result of removing one ephemeral agent.
#[derive(Debug)]
pub struct RemovedEphemeral {
    /// Name of the ephemeral agent.
    pub name: AgentName,
    /// Whether the agent was removed, or the error that prevented it.
    pub outcome: Result<(), Error>,
}

impl AgentRemoval<'_> {
    /// Removes ephemeral agents that have done their task and have no attached client. Returns the outcome for each.
    pub fn remove_ephemeral(&self) -> Result<Vec<RemovedEphemeral>, Error> {
        let mut ephemeral = self.0.store.read(self.0.now())?;
        ephemeral.retain(|record| record.ephemeral);
        if ephemeral.is_empty() {
            return Ok(vec![]);
        }
        let counts = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.queues())?.of;
        let tasks = |record: &AgentRecord| counts.get(&record.id).copied().unwrap_or_default();
        ephemeral.retain(|record| is_done(record, tasks(record)));
        if ephemeral.is_empty() {
            return Ok(vec![]);
        }
        let agents = StatusTracker(self.0).current_agents()?.agents;
        let is_watched = |record: &AgentRecord| {
            agents.iter().any(|agent| agent.id == record.id && !agent.clients.is_empty())
        };
        ephemeral.retain(|record| !is_watched(record));
        let mut gone = Vec::new();
        for record in ephemeral {
            if let Some(outcome) = self.remove_ended(&record).transpose() {
                gone.push(RemovedEphemeral { name: record.name, outcome });
            }
        }
        Ok(gone)
    }

    /// Removes one agent. Returns `None` if another process holds its lock or has changed its status in the meantime.
    fn remove_ended(&self, before: &AgentRecord) -> Result<Option<()>, Error> {
        let Some(lock) = AgentLocks(&self.0.store).try_lock(&before.name, "vanish")? else { return Ok(None) };
        let now = self.0.store.find(&before.name, self.0.now())?;
        let Some(record) = now.filter(|now| now.id == before.id && now.status == before.status) else {
            return Ok(None);
        };
        if let Err(error) = WorkInspection(self.0).refuse_to_lose_work(&record) {
            RegistryWriter(self.0).write(|edit| {
                if let Ok(Some(mut record)) = edit.get(&record.name) {
                    record.ephemeral = false;
                    edit.put(record);
                }
            })?;
            return Err(error);
        }
        if StatusTracker(self.0).refuse_shared(&record, &Workspaces(self.0).workspace_of(&record)).is_err() {
            // It is removed when the other agents have ended.
            return Ok(None);
        }
        self.keep_unsaved_work(&record, Removal::Careful)?;
        self.remove_locked(&record, BranchRemoval::IfEmpty, &lock)?;
        lock.release_and_remove();
        Ok(Some(()))
    }
}
