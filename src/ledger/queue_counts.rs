//! The counts of all queues. The cost of the query does not grow with the number of tasks.

use std::collections::HashMap;

use uuid::Uuid;

use super::tasks::{NO_AGENT, state};
use super::{Ledger, LedgerError};
use crate::model::{AgentId, TaskCounts, TaskState};

/// The task counts of all queues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Counts of each agent's own queue.
    pub of: HashMap<AgentId, TaskCounts>,
    /// Counts of the tasks that no agent has claimed yet.
    pub pool: TaskCounts,
}

impl Ledger {
    /// Returns the counts of all queues. A task that is being typed in counts as running.
    pub fn queues(&self) -> Result<QueueCounts, LedgerError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT agent, state, tasks FROM queues WHERE tasks > 0")?;
            let mut rows = statement.query([])?;
            let mut queues = QueueCounts::default();
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
