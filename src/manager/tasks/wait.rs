//! `task wait`: waits until a task is over, and tells of its progress meanwhile.

use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::Tasks;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::model::{Task, TaskId};

/// A safety look: a change that no event told of is seen after this.
const LOOK: Duration = Duration::from_secs(5);

impl Tasks<'_> {
    /// Waits; `tell` is told of the task whenever something has changed.
    pub fn task_wait(
        &self,
        id: TaskId,
        timeout: Option<Duration>,
        mut tell: impl FnMut(&Task),
    ) -> Result<Task, Error> {
        let (sender, changed) = mpsc::channel();
        // Kept open: to open it is a change of its files, which would wake us again.
        RegistryWriter(self.0).with_ledger(|ledger| ledger.task(id))?;
        // Before the first look: nothing that happens meanwhile is missed.
        let _changes = self.0.on_change(move || {
            let _ = sender.send(());
        })?;
        let begun = Instant::now();
        loop {
            let task = self.known_task(id)?;
            // At each change: also what its agent waits for may be another.
            tell(&task);
            if task.state.is_over() {
                return Ok(task);
            }
            let left = timeout.map_or(LOOK, |most| most.saturating_sub(begun.elapsed()).min(LOOK));
            if left.is_zero() {
                let what = format!("task {id} is {}, it was not over", task.state);
                return Err(Error::TimedOut { what, after: begun.elapsed() });
            }
            let _ = changed.recv_timeout(left);
            while changed.try_recv().is_ok() {}
        }
    }
}
