//! The first task of an ephemeral agent, which is in the ledger from its spawn on.

use crate::error::Error;
use crate::ledger::{EventQuery, TaskTransition};
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::model::{AgentRecord, Assignee, EventKind, NewTask, Status, Task, TaskId, TaskState};
use crate::store::AgentLocks;

/// Source of the task that an agent is spawned with.
pub(in crate::manager) const SOURCE: &str = "spawn";

impl TaskQueue<'_> {
    /// Records the task that an ephemeral agent is spawned with.
    pub(in crate::manager) fn add_first_task(
        &self,
        record: &AgentRecord,
        chosen: &LaunchPlan,
        task: Option<&str>,
    ) -> Result<Option<TaskId>, Error> {
        // For a plain command, the command line is the task.
        let command = (!chosen.spec.command.is_empty()).then(|| chosen.spec.command.join(" "));
        let Some(text) = task.map(str::to_owned).or(command).filter(|_| record.ephemeral) else {
            return Ok(None);
        };
        let new = NewTask::plain(Assignee::Agent(record.id, record.name.clone()), text, SOURCE);
        // The dispatcher cannot type it a second time: the agent is not in the registry yet.
        let id = self.queue(&new)?;
        self.move_first_task(id, TaskState::Queued, TaskState::Running, "the agent was started with it")?;
        Ok(Some(id))
    }

    /// Marks the task as failed because its agent could not be started.
    pub(in crate::manager) fn cancel_first_task(&self, item: Option<TaskId>) {
        if let Some(id) = item {
            let _ = self.move_first_task(
                id,
                TaskState::Running,
                TaskState::Failed,
                "its agent could not be started",
            );
        }
    }

    pub(in crate::manager) fn move_first_task(
        &self,
        id: TaskId,
        from: TaskState,
        to: TaskState,
        why: &str,
    ) -> Result<bool, Error> {
        let from = [from];
        let step = TaskTransition::plain(&from, to, why);
        RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(id, &step, self.0.now()))
    }

    /// Returns whether the agent of a task may not be recorded yet. The spawning process holds its lock until then.
    pub(in crate::manager) fn is_spawning(&self, task: &Task) -> Result<bool, Error> {
        if task.source != SOURCE {
            return Ok(false);
        }
        let Some(name) = &task.agent_name else { return Ok(false) };
        match AgentLocks(&self.0.store).try_lock(name, "look")? {
            None => Ok(true),
            Some(_lock) => {
                Ok(self.0.store.read(self.0.now())?.iter().any(|record| Some(record.id) == task.agent))
            }
        }
    }

    /// Returns whether an agent has begun its initial task. An agent can be ready for a prompt before that.
    pub(in crate::manager) fn has_begun(&self, task: &Task) -> Result<bool, Error> {
        if task.source != SOURCE {
            return Ok(true);
        }
        let query = EventQuery { agent: task.agent, since: Some(task.created_at), after: None, limit: 1000 };
        let rows = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.events(&query))?;
        let works = |what: &EventKind| matches!(what, EventKind::Status { to: Status::Working, .. });
        Ok(rows.iter().any(|(_, event)| works(&event.what)))
    }
}
