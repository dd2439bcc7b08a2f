//! The next task of an agent: by priority, then by age, without tasks that depend on unfinished ones. The cost of the
//! query does not grow with the number of tasks.

use super::tasks::{NO_AGENT, rank};
use super::{Ledger, LedgerError};
use crate::model::{AgentId, Task, TaskId};

impl Ledger {
    /// Returns the next task of an agent with this spec, from its own queue or from the tasks for any agent of the
    /// spec: the most urgent, and among those the oldest. Skips tasks that depend on an unfinished task, and tasks in
    /// `taken`, which other agents are about to claim.
    pub fn next_task(
        &self,
        agent: AgentId,
        spec: &str,
        taken: &[TaskId],
    ) -> Result<Option<Task>, LedgerError> {
        let taken = taken.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let mut own = self.select_tasks(
            "WHERE state = 'queued' AND blocked = 0 AND agent = ?1 ORDER BY priority, id",
            &[agent.0.as_bytes()],
            1,
        )?;
        let mut pool = self.select_tasks(
            &format!(
                "WHERE pool = ?1 AND state = 'queued' AND blocked = 0 AND agent = ?2 AND id NOT IN ({taken})
                 ORDER BY priority, id"
            ),
            &[&spec, &NO_AGENT],
            1,
        )?;
        own.append(&mut pool);
        Ok(own.into_iter().min_by_key(|task| (rank(task.priority), task.id)))
    }
}
