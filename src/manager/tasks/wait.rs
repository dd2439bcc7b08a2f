//! `task wait`: waits until a task is over and reports its progress.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::Tasks;
use crate::model::{Task, TaskId};

/// Fallback interval between two checks, for changes that no event reports.
const RECHECK_INTERVAL: Duration = Duration::from_secs(5);

impl Tasks<'_> {
    /// Waits until the task is over, and calls `on_change` after every change.
    pub fn task_wait(
        &self,
        id: TaskId,
        timeout: Option<Duration>,
        mut on_change: impl FnMut(&Task),
    ) -> Result<Task, Error> {
        let (sender, changed) = mpsc::channel();
        // Kept open: opening the ledger changes its files, which would trigger the watch again.
        RegistryWriter(self.0).with_ledger(|ledger| ledger.task(id))?;
        // Registered before the first check, so that no change is missed.
        let _changes = self.0.on_change(move || {
            let _ = sender.send(());
        })?;
        let begun = Instant::now();
        loop {
            let task = self.known_task(id)?;
            // Called after every change, because what the agent waits for may have changed as well.
            on_change(&task);
            if task.state.is_over() {
                return Ok(task);
            }
            let left = timeout
                .map_or(RECHECK_INTERVAL, |most| most.saturating_sub(begun.elapsed()).min(RECHECK_INTERVAL));
            if left.is_zero() {
                let what = format!("task {id} is {}; it did not finish", task.state);
                return Err(Error::timed_out(what, begun.elapsed()));
            }
            let _ = changed.recv_timeout(left);
            while changed.try_recv().is_ok() {}
        }
    }
}
