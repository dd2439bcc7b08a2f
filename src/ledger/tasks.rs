//! The table of work: what each agent is to do and how far it is. Never lost, not even to a power cut.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::{Row, params, params_from_iter};
use uuid::Uuid;

use super::happenings::cut;
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, NewTask, Priority, Task, TaskCounts, TaskId, TaskState};

/// The longest result that is kept.
const MOST_RESULT: usize = 1 << 16;

const ALL: usize = usize::MAX;

/// All that is known of a task.
pub(super) const COLUMNS: &str =
    "id, agent, agent_name, text, priority, state, source, created_at, changed_at, attempts, why, result";

/// Which tasks are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskQuery<'a> {
    /// Of this agent only.
    pub agent: Option<AgentId>,
    /// In one of these states; in any when it is empty.
    pub states: &'a [TaskState],
}

/// A step that a task takes.
#[derive(Debug, Clone, Copy)]
pub struct TaskMove<'a> {
    /// From one of these; from any other it does not move.
    pub from: &'a [TaskState],
    /// To this.
    pub to: TaskState,
    /// Why.
    pub why: &'a str,
    /// What came of it; none leaves what was there.
    pub result: Option<&'a str>,
}

impl Ledger {
    /// Puts a task at the end of its agent's queue.
    pub fn add_task(&self, task: &NewTask, now: Timestamp) -> Result<TaskId, LedgerError> {
        self.write(Durability::OfWork, |change| {
            change.execute(
                "INSERT INTO tasks (agent, agent_name, text, priority, state, source, created_at, changed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
                params![
                    task.agent.0.as_bytes(),
                    task.agent_name.as_str(),
                    task.text,
                    rank(task.priority),
                    TaskState::Queued.word(),
                    task.source,
                    now.as_microsecond(),
                ],
            )?;
            Ok(TaskId(change.last_insert_rowid()))
        })
    }

    /// One task.
    pub fn task(&self, id: TaskId) -> Result<Option<Task>, LedgerError> {
        Ok(self.select("WHERE id = ?1", &[&id.0], 1)?.pop())
    }

    /// Tasks, the oldest first.
    pub fn tasks(&self, query: &TaskQuery<'_>) -> Result<Vec<Task>, LedgerError> {
        let states = words(query.states);
        match query.agent {
            Some(agent) => self.select(
                &format!("WHERE agent = ?1 AND state IN ({states}) ORDER BY id"),
                &[agent.0.as_bytes()],
                ALL,
            ),
            None => self.select(&format!("WHERE state IN ({states}) ORDER BY id"), &[], ALL),
        }
    }

    /// What an agent is to do next: the most urgent, and of these the oldest.
    pub fn next_task(&self, agent: AgentId) -> Result<Option<Task>, LedgerError> {
        let queued = words(&[TaskState::Queued]);
        let which = format!("WHERE agent = ?1 AND state = {queued} ORDER BY priority, id");
        Ok(self.select(&which, &[agent.0.as_bytes()], 1)?.pop())
    }

    /// Moves a task, when it is where the step begins; says whether it was. Of two who try, one succeeds.
    pub fn move_task(&self, id: TaskId, step: &TaskMove<'_>, now: Timestamp) -> Result<bool, LedgerError> {
        let from = if step.from.is_empty() { "''".to_owned() } else { words(step.from) };
        let sql = format!(
            "UPDATE tasks SET state = ?2, why = ?3, result = coalesce(?4, result), changed_at = ?5,
                 attempts = attempts + ?6
             WHERE id = ?1 AND state IN ({from})"
        );
        self.write(Durability::OfWork, |change| {
            let moved = change.execute(
                &sql,
                params![
                    id.0,
                    step.to.word(),
                    cut(step.why, MOST_RESULT),
                    step.result.map(|result| cut(result, MOST_RESULT)),
                    now.as_microsecond(),
                    i64::from(step.to == TaskState::Dispatched),
                ],
            )?;
            Ok(moved > 0)
        })
    }

    /// Every queue in numbers; one that is being typed in counts as running.
    pub fn task_counts(&self) -> Result<HashMap<AgentId, TaskCounts>, LedgerError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT agent, state, count(*) FROM tasks GROUP BY 1, 2")?;
            let mut rows = statement.query([])?;
            let mut counts: HashMap<AgentId, TaskCounts> = HashMap::new();
            while let Some(row) = rows.next()? {
                let (Ok(agent), Some(state)) = (row.get(0), state(row, 1)) else { continue };
                let of = counts.entry(AgentId(Uuid::from_bytes(agent))).or_default();
                let count = u32::try_from(row.get::<_, i64>(2)?).unwrap_or(u32::MAX);
                match state {
                    TaskState::Queued => of.queued = count,
                    TaskState::Dispatched | TaskState::Running => of.running += count,
                    TaskState::Done => of.done = count,
                    TaskState::Failed => of.failed = count,
                    TaskState::Cancelled => {}
                }
            }
            Ok(counts)
        })
    }

    /// Forgets tasks that were over before a time.
    pub(super) fn forget_tasks(&self, before: i64) -> Result<usize, LedgerError> {
        let over: Vec<TaskState> = TaskState::ALL.into_iter().filter(|state| state.is_over()).collect();
        let sql = format!("DELETE FROM tasks WHERE state IN ({}) AND changed_at < ?1", words(&over));
        self.write(Durability::OfHistory, |change| change.execute(&sql, [before]))
    }

    /// Tasks that we understand, so many at most.
    fn select(
        &self,
        which: &str,
        params: &[&dyn rusqlite::ToSql],
        most: usize,
    ) -> Result<Vec<Task>, LedgerError> {
        let sql = format!("SELECT {COLUMNS} FROM tasks {which}");
        self.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query(params_from_iter(params))?;
            let mut found = Vec::new();
            while found.len() < most {
                let Some(row) = rows.next()? else { break };
                found.extend(task(row));
            }
            Ok(found)
        })
    }
}

/// A row in our words; none when one of them is not ours.
pub(super) fn task(row: &Row<'_>) -> Option<Task> {
    let priority: i64 = row.get(4).ok()?;
    Some(Task {
        id: TaskId(row.get(0).ok()?),
        agent: AgentId(Uuid::from_bytes(row.get(1).ok()?)),
        agent_name: row.get::<_, String>(2).ok()?.parse().ok()?,
        text: row.get(3).ok()?,
        priority: Priority::ALL.into_iter().find(|known| rank(*known) == priority)?,
        state: state(row, 5)?,
        source: row.get(6).ok()?,
        created_at: Timestamp::from_microsecond(row.get(7).ok()?).ok()?,
        changed_at: Timestamp::from_microsecond(row.get(8).ok()?).ok()?,
        attempts: row.get(9).ok()?,
        why: row.get(10).ok()?,
        result: row.get(11).ok()?,
    })
}

/// A state in our words; none when it is not ours.
pub(super) fn state(row: &Row<'_>, at: usize) -> Option<TaskState> {
    let word: String = row.get(at).ok()?;
    TaskState::ALL.into_iter().find(|state| state.word() == word)
}

/// The number by which SQLite puts priorities in order, with room between them for new ones.
fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Critical => 10,
        Priority::High => 20,
        Priority::Normal => 30,
        Priority::Low => 40,
        Priority::Idle => 50,
    }
}

/// States as SQL; all of them when none is named. The words are ours, so there is nothing to escape.
fn words(states: &[TaskState]) -> String {
    let states = if states.is_empty() { &TaskState::ALL } else { states };
    states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(", ")
}
