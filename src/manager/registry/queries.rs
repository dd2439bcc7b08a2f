//! Queries of the registry and the ledger that every domain needs.

use crate::error::Error;
use crate::ledger::{QueueCounts, TaskQuery};
use crate::manager::registry::RegistryWriter;
use crate::model::{Agent, AgentId, AgentName, AgentRecord, Task, TaskState};
use crate::model::{CurrentTask, TaskCounts};
use crate::store::RunFiles;

/// State file of an instance that holds the initial prompt until the agent has accepted it.
pub(in crate::manager) const INITIAL_PROMPT_FILE: &str = "first-prompt";
/// File in `run/` that exists once a task was added.
pub(in crate::manager) const QUEUES: &str = "_queues";

impl RegistryWriter<'_> {
    /// Returns whether a task was ever added. If not, the ledger need not be opened.
    pub(in crate::manager) fn has_queues(&self) -> bool {
        RunFiles(&self.0.store).exists(QUEUES)
    }

    /// Fills in the tasks of each agent. Opens the ledger only if a task was ever added.
    pub(in crate::manager) fn count_tasks(&self, agents: &mut [Agent]) {
        if !self.has_queues() {
            return;
        }
        let (QueueCounts { of, .. }, running) = self
            .with_existing_ledger(|ledger| {
                let query = TaskQuery { states: &[TaskState::Running], ..TaskQuery::default() };
                Ok((ledger.queues()?, ledger.tasks(&query)?))
            })
            .unwrap_or_default();
        for agent in agents {
            agent.tasks = of.get(&agent.id).copied().unwrap_or_else(TaskCounts::default);
            agent.task = running.iter().find(|task| task.agent == Some(agent.id)).map(CurrentTask::of);
        }
    }

    pub(in crate::manager) fn tasks(&self, states: &[TaskState]) -> Result<Vec<Task>, Error> {
        self.with_existing_ledger(|ledger| ledger.tasks(&TaskQuery { states, ..TaskQuery::default() }))
    }

    pub(in crate::manager) fn tasks_in(&self, states: &[TaskState]) -> Result<usize, Error> {
        self.tasks(states).map(|tasks| tasks.len())
    }

    pub(in crate::manager) fn record_by_id(&self, id: AgentId) -> Result<Option<AgentRecord>, Error> {
        Ok(self.0.store.read(self.0.now())?.into_iter().find(|record| record.id == id))
    }

    /// Removes the stored initial prompt, because the agent has accepted it or another prompt.
    pub(in crate::manager) fn forget_initial_prompt(&self, name: &AgentName) {
        let _ = self.0.store.instance(name).remove_state(INITIAL_PROMPT_FILE);
    }
}
