//! Adds tasks to queues and reads them. `dispatch` types tasks into agents; `tasks/finish.rs` records how they end.

use crate::error::Error;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::queries::QUEUES;
use crate::model::{NewTask, Task, TaskId};
use crate::store::RunFiles;

impl TaskQueue<'_> {
    /// Adds a task to its queue.
    pub(in crate::manager) fn queue(&self, task: &NewTask) -> Result<TaskId, Error> {
        self.open_queues()?;
        let added = RegistryWriter(self.0).with_ledger(|ledger| ledger.add_task(task, self.0.now()))?;
        added.map_err(Error::no_such_task)
    }

    /// Creates the marker file of the queues. Called first, so that listing agents knows that there are queues to read.
    pub(in crate::manager) fn open_queues(&self) -> Result<(), Error> {
        Ok(RunFiles(&self.0.store).write(QUEUES, b"")?)
    }

    pub(in crate::manager) fn task(&self, id: TaskId) -> Result<Option<Task>, Error> {
        RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.task(id))
    }
}
