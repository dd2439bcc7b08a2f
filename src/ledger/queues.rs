//! The task queues: the next task of an agent, and the counts of all queues. The cost of these queries does not grow
//! with the number of tasks.

use std::collections::HashMap;

use uuid::Uuid;

use super::tasks::{NO_AGENT, rank, state};
use super::{Ledger, LedgerError};
use crate::model::{AgentId, Task, TaskCounts, TaskId, TaskState};

/// The task counts of all queues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queues {
    /// Counts of each agent's own queue.
    pub of: HashMap<AgentId, TaskCounts>,
    /// Counts of the tasks that no agent has claimed yet.
    pub pool: TaskCounts,
}

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

    /// Returns the counts of all queues. A task that is being typed in counts as running.
    pub fn queues(&self) -> Result<Queues, LedgerError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT agent, state, tasks FROM queues WHERE tasks > 0")?;
            let mut rows = statement.query([])?;
            let mut queues = Queues::default();
            while let Some(row) = rows.next()? {
                let (Ok(agent), Some(state)) = (row.get(0), state(row, 1)) else { continue };
                let of = match agent {
                    NO_AGENT => &mut queues.pool,
                    agent => queues.of.entry(AgentId(Uuid::from_bytes(agent))).or_default(),
                };
                let count = u32::try_from(row.get::<_, i64>(2)?).unwrap_or(u32::MAX);
                match state {
                    TaskState::Queued => of.queued = count,
                    TaskState::Dispatched | TaskState::Running => of.running += count,
                    TaskState::Done => of.done = count,
                    TaskState::Failed => of.failed = count,
                    TaskState::Cancelled => {}
                }
            }
            Ok(queues)
        })
    }
}
