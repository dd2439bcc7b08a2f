//! Queues: what is put there, and what is known of them. What is typed in, and when, is `dispatch`; how it ends, `settle`.

use crate::env::Env;
use crate::error::Error;
use crate::ledger::{Queues, TaskQuery};
use crate::manager::Manager;
use crate::model::{Agent, CurrentTask, NewTask, Task, TaskCounts, TaskId, TaskState};

/// The file in `run/` that says: there may be tasks.
const QUEUES: &str = "_queues";

impl Manager {
    /// Puts a task on its queue.
    pub(in crate::manager) fn queue(&self, task: &NewTask) -> Result<TaskId, Error> {
        self.open_queues()?;
        let added = self.with_ledger(|ledger| ledger.add_task(task, Env::now()))?;
        added.map_err(|id| Error::NoSuchTask { id })
    }

    /// First, so that whoever lists agents knows that there are queues to look at.
    pub(in crate::manager) fn open_queues(&self) -> Result<(), Error> {
        Ok(self.store.write_run(QUEUES, b"")?)
    }

    /// Whether there ever was something to be typed in: else nobody opens the ledger for it.
    pub(in crate::manager) fn has_queues(&self) -> bool {
        self.store.has_run(QUEUES)
    }

    /// Fills in what each agent has to do; the ledger is opened only when there ever was a task.
    pub(in crate::manager) fn count_tasks(&self, agents: &mut [Agent]) {
        if !self.has_queues() {
            return;
        }
        let (Queues { of, .. }, running) = self
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

    pub(in crate::manager) fn task(&self, id: TaskId) -> Result<Option<Task>, Error> {
        self.with_existing_ledger(|ledger| ledger.task(id))
    }

    pub(in crate::manager) fn tasks(&self, states: &[TaskState]) -> Result<Vec<Task>, Error> {
        self.with_existing_ledger(|ledger| ledger.tasks(&TaskQuery { states, ..TaskQuery::default() }))
    }

    pub(in crate::manager) fn tasks_in(&self, states: &[TaskState]) -> Result<usize, Error> {
        self.tasks(states).map(|tasks| tasks.len())
    }
}
