//! The state transitions of tasks. If two processes try the same transition, one of them succeeds. Every transition is
//! stored with its time, its attempt and its reason.

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use super::events::cut;
use super::tasks::{NO_AGENT, state, words};
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, AgentName, TaskId, TaskProgress, TaskState, TaskStep};

/// Maximum stored length of a result in bytes.
const MAX_RESULT_BYTES: usize = 1 << 16;
/// Maximum stored length of a progress note in bytes.
const MAX_NOTE_BYTES: usize = 1000;

/// A state transition of a task.
#[derive(Debug, Clone, Copy)]
pub struct TaskTransition<'a> {
    /// The states that the transition starts from; a task in any other state stays unchanged.
    pub from: &'a [TaskState],
    /// The new state of the task.
    pub to: TaskState,
    /// The reason for the transition.
    pub why: &'a str,
    /// The result of the task; `None` keeps the stored result.
    pub result: Option<&'a str>,
    /// Whether the task needs the attention of a user.
    pub flagged: bool,
}

impl<'a> TaskTransition<'a> {
    /// Creates a transition without a result.
    pub fn plain(from: &'a [TaskState], to: TaskState, why: &'a str) -> TaskTransition<'a> {
        TaskTransition { from, to, why, result: None, flagged: false }
    }
}

impl Ledger {
    /// Moves a task to another state if it is in a state that the transition starts from, and returns whether it was.
    /// When a task is done, the tasks that depend on it are unblocked.
    pub fn move_task(
        &self,
        id: TaskId,
        step: &TaskTransition<'_>,
        now: Timestamp,
    ) -> Result<bool, LedgerError> {
        let from = if step.from.is_empty() { "''".to_owned() } else { words(step.from) };
        let sql = format!(
            "UPDATE tasks SET state = ?2, why = ?3, result = coalesce(?4, result), changed_at = ?5, flagged = ?6,
                 attempts = attempts + CASE WHEN ?2 = 'dispatched' THEN 1 ELSE 0 END,
                 dispatched_at = CASE WHEN ?2 = 'dispatched' THEN ?5 ELSE dispatched_at END,
                 percent = CASE WHEN ?2 = 'queued' THEN NULL ELSE percent END,
                 agent_name = CASE WHEN ?2 = 'queued' AND pool IS NOT NULL THEN '' ELSE agent_name END,
                 agent = CASE WHEN ?2 = 'queued' AND pool IS NOT NULL THEN ?7 ELSE agent END
             WHERE id = ?1 AND state IN ({from})"
        );
        self.write(Durability::Work, |change| {
            let moved = change.prepare(&sql)?.execute(params![
                id.0,
                step.to.word(),
                cut(step.why, MAX_RESULT_BYTES),
                step.result.map(|result| cut(result, MAX_RESULT_BYTES)),
                now.as_microsecond(),
                step.flagged,
                NO_AGENT,
            ])?;
            if moved > 0 {
                note_step(change, id, step.why, now)?;
                if step.to == TaskState::Done {
                    release(change, id)?;
                }
            }
            Ok(moved > 0)
        })
    }

    /// Returns a task to its queue if none of it was typed, and returns whether the task was being dispatched. This
    /// counts neither as an attempt nor as a transition: a task that waits all night for the same reason leaves one
    /// row, not thousands.
    pub fn put_back_task(&self, id: TaskId, why: &str, now: Timestamp) -> Result<bool, LedgerError> {
        self.write(Durability::Work, |change| {
            let back = change
                .prepare(
                    "UPDATE tasks SET state = 'queued', why = ?2, changed_at = ?3, flagged = 0, percent = NULL,
                         attempts = attempts - 1,
                         agent_name = CASE WHEN pool IS NULL THEN agent_name ELSE '' END,
                         agent = CASE WHEN pool IS NULL THEN agent ELSE ?4 END
                     WHERE id = ?1 AND state = 'dispatched'",
                )?
                .execute(params![id.0, cut(why, MAX_RESULT_BYTES), now.as_microsecond(), NO_AGENT])?;
            if back == 0 {
                return Ok(false);
            }
            let newest = "id = (SELECT max(id) FROM task_steps WHERE task = ?1)";
            change.execute(
                &format!("DELETE FROM task_steps WHERE {newest} AND state = 'dispatched'"),
                [id.0],
            )?;
            let again = change.execute(
                &format!("UPDATE task_steps SET at = ?2 WHERE {newest} AND state = 'queued' AND why = ?3"),
                params![id.0, now.as_microsecond(), cut(why, MAX_NOTE_BYTES)],
            )?;
            if again == 0 {
                note_step(change, id, why, now)?;
            }
            Ok(true)
        })
    }

    /// Assigns a task to an agent that has no other task, and returns whether both were still free.
    pub fn claim_task(
        &self,
        id: TaskId,
        (agent, name): (AgentId, &AgentName),
        why: &str,
        now: Timestamp,
    ) -> Result<bool, LedgerError> {
        self.write(Durability::Work, |change| {
            let claimed = change
                .prepare(
                    "UPDATE tasks SET state = 'dispatched', agent = ?2, agent_name = ?3, why = ?4, changed_at = ?5,
                         dispatched_at = ?5, attempts = attempts + 1, flagged = 0
                     WHERE id = ?1 AND state = 'queued' AND blocked = 0 AND agent IN (?2, ?6) AND NOT EXISTS (
                         SELECT 1 FROM tasks AS other
                         WHERE other.agent = ?2 AND other.state IN ('dispatched', 'running'))",
                )?
                .execute(params![
                    id.0,
                    agent.0.as_bytes(),
                    name.as_str(),
                    why,
                    now.as_microsecond(),
                    NO_AGENT
                ])?;
            if claimed > 0 {
                note_step(change, id, why, now)?;
            }
            Ok(claimed > 0)
        })
    }

    /// Stores the progress of an active task and returns whether the task is active.
    pub fn note_progress(&self, id: TaskId, progress: &TaskProgress) -> Result<bool, LedgerError> {
        self.write(Durability::History, |change| {
            let sql = "UPDATE tasks SET percent = ?2, note = ?3 WHERE id = ?1 AND state IN ('dispatched', 'running')";
            let note = cut(&progress.note, MAX_NOTE_BYTES);
            Ok(change.execute(sql, params![id.0, progress.percent.min(100), note])? > 0)
        })
    }

    /// Returns the states that a task has gone through, oldest first.
    pub fn task_steps(&self, id: TaskId) -> Result<Vec<TaskStep>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT at, state, attempt, why FROM task_steps WHERE task = ?1 ORDER BY id";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([id.0])?;
            let mut steps = Vec::new();
            while let Some(row) = rows.next()? {
                let at = row.get(0).ok().and_then(|at| Timestamp::from_microsecond(at).ok());
                let (Some(at), Some(state)) = (at, state(row, 1)) else { continue };
                steps.push(TaskStep { at, state, attempt: row.get(2)?, why: row.get(3)? });
            }
            Ok(steps)
        })
    }
}

/// Records the current state of a task as a transition.
pub(super) fn note_step(
    change: &Transaction<'_>,
    id: TaskId,
    why: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO task_steps (task, at, state, attempt, why)
               SELECT id, ?2, state, attempts, ?3 FROM tasks WHERE id = ?1";
    let why = cut(why, MAX_NOTE_BYTES);
    change.prepare(sql)?.execute(params![id.0, now.as_microsecond(), why]).map(drop)
}

/// Decrements the number of blocking tasks of every task that depends on this one.
fn release(change: &Transaction<'_>, id: TaskId) -> rusqlite::Result<()> {
    let sql = "UPDATE tasks SET blocked = blocked - 1
               WHERE blocked > 0 AND id IN (SELECT task FROM task_after WHERE after = ?1)";
    change.prepare(sql)?.execute([id.0]).map(drop)
}
