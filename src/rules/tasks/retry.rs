//! Whether a task that failed is attempted again.

use crate::model::Task;

/// Returns whether a failed task has retries left. An attempt that was not counted yet counts as one.
pub fn may_retry(task: &Task) -> bool {
    task.attempts.max(1) <= task.retries
}
