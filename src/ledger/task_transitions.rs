//! The steps that tasks take. Of two who try the same step one succeeds, and every step that was taken is kept with
//! its time, its attempt and why.

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use super::events::cut;
use super::tasks::{NOBODY, state, words};
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, AgentName, Progress, TaskId, TaskState, TaskStep};

/// The longest result that is kept.
const MOST_RESULT: usize = 1 << 16;
/// The longest word on progress that is kept.
const MOST_NOTE: usize = 1000;

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
    /// Whether a person has to look.
    pub flagged: bool,
}

impl<'a> TaskMove<'a> {
    /// A step with nothing to show for it.
    pub fn plain(from: &'a [TaskState], to: TaskState, why: &'a str) -> TaskMove<'a> {
        TaskMove { from, to, why, result: None, flagged: false }
    }
}

impl Ledger {
    /// Moves a task, when it is where the step begins; says whether it was. What comes after one that is done is free
    /// to begin.
    pub fn move_task(&self, id: TaskId, step: &TaskMove<'_>, now: Timestamp) -> Result<bool, LedgerError> {
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
        self.write(Durability::OfWork, |change| {
            let moved = change.prepare(&sql)?.execute(params![
                id.0,
                step.to.word(),
                cut(step.why, MOST_RESULT),
                step.result.map(|result| cut(result, MOST_RESULT)),
                now.as_microsecond(),
                step.flagged,
                NOBODY,
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

    /// Puts a task back on its queue of which nothing was typed; says whether it was being typed in. It has not been
    /// tried, and that is no step: one that has to wait all night for the same reason leaves one line, not thousands.
    pub fn put_back_task(&self, id: TaskId, why: &str, now: Timestamp) -> Result<bool, LedgerError> {
        self.write(Durability::OfWork, |change| {
            let back = change
                .prepare(
                    "UPDATE tasks SET state = 'queued', why = ?2, changed_at = ?3, flagged = 0, percent = NULL,
                         attempts = attempts - 1,
                         agent_name = CASE WHEN pool IS NULL THEN agent_name ELSE '' END,
                         agent = CASE WHEN pool IS NULL THEN agent ELSE ?4 END
                     WHERE id = ?1 AND state = 'dispatched'",
                )?
                .execute(params![id.0, cut(why, MOST_RESULT), now.as_microsecond(), NOBODY])?;
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
                params![id.0, now.as_microsecond(), cut(why, MOST_NOTE)],
            )?;
            if again == 0 {
                note_step(change, id, why, now)?;
            }
            Ok(true)
        })
    }

    /// Gives a task to an agent that has nothing else to do; says whether both were still free.
    pub fn claim_task(
        &self,
        id: TaskId,
        (agent, name): (AgentId, &AgentName),
        why: &str,
        now: Timestamp,
    ) -> Result<bool, LedgerError> {
        self.write(Durability::OfWork, |change| {
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
                    NOBODY
                ])?;
            if claimed > 0 {
                note_step(change, id, why, now)?;
            }
            Ok(claimed > 0)
        })
    }

    /// Notes how far a task that is worked on is; says whether it is.
    pub fn note_progress(&self, id: TaskId, progress: &Progress) -> Result<bool, LedgerError> {
        self.write(Durability::OfHistory, |change| {
            let sql = "UPDATE tasks SET percent = ?2, note = ?3 WHERE id = ?1 AND state IN ('dispatched', 'running')";
            let note = cut(&progress.note, MOST_NOTE);
            Ok(change.execute(sql, params![id.0, progress.percent.min(100), note])? > 0)
        })
    }

    /// The states that a task came through, the first one first.
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

/// Keeps the state that a task has come into.
pub(super) fn note_step(
    change: &Transaction<'_>,
    id: TaskId,
    why: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO task_steps (task, at, state, attempt, why)
               SELECT id, ?2, state, attempts, ?3 FROM tasks WHERE id = ?1";
    let why = cut(why, MOST_NOTE);
    change.prepare(sql)?.execute(params![id.0, now.as_microsecond(), why]).map(drop)
}

/// What comes after it waits for one less.
fn release(change: &Transaction<'_>, id: TaskId) -> rusqlite::Result<()> {
    let sql = "UPDATE tasks SET blocked = blocked - 1
               WHERE blocked > 0 AND id IN (SELECT task FROM task_after WHERE after = ?1)";
    change.prepare(sql)?.execute([id.0]).map(drop)
}
