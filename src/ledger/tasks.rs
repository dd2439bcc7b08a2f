//! The table of tasks: the work of each agent and its state. Tasks survive a power failure.

use jiff::Timestamp;
use rusqlite::{Row, params, params_from_iter};
use uuid::Uuid;

use super::task_transitions::note_step;
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, Assignee, NewTask, Priority, Task, TaskId, TaskProgress, TaskState};

/// The agent id of tasks that no agent has claimed yet.
pub(super) const NO_AGENT: [u8; 16] = [0; 16];

const ALL: usize = usize::MAX;

/// The columns of a task in the order that the row conversion expects.
pub(super) const COLUMNS: &str = "id, agent, agent_name, text, priority, state, source, created_at, changed_at, \
     attempts, why, result, pool, topic, timeout_s, retries, blocked, percent, note, flagged, dispatched_at, \
     (SELECT group_concat(after) FROM task_after WHERE task = tasks.id), source_id";

/// The selection of tasks for a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskQuery<'a> {
    /// Only tasks of this agent.
    pub agent: Option<AgentId>,
    /// Only tasks in one of these states; an empty slice selects all states.
    pub states: &'a [TaskState],
    /// Only this number of the newest tasks; `None` selects all.
    pub newest: Option<usize>,
}

impl Ledger {
    /// Adds a task to a queue. The tasks that it depends on must exist; the inner error names the first that does not.
    pub fn add_task(&self, task: &NewTask, now: Timestamp) -> Result<Result<TaskId, TaskId>, LedgerError> {
        let (agent, name, pool) = match &task.assignee {
            Assignee::Agent(id, name) => (*id.0.as_bytes(), name.as_str(), None),
            Assignee::Any(spec) => (NO_AGENT, "", Some(spec)),
        };
        self.write(Durability::Work, |change| {
            let mut blocked = 0;
            let mut state = change.prepare("SELECT state FROM tasks WHERE id = ?1")?;
            for after in &task.after {
                match state.query([after.0])?.next()? {
                    None => return Ok(Err(*after)),
                    Some(row) => blocked += i64::from(self::state(row, 0) != Some(TaskState::Done)),
                }
            }
            change.execute(
                "INSERT INTO tasks (agent, agent_name, text, priority, state, source, created_at, changed_at,
                     pool, topic, timeout_s, retries, blocked, source_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    agent,
                    name,
                    task.text,
                    rank(task.priority),
                    TaskState::Queued.word(),
                    task.source,
                    now.as_microsecond(),
                    pool,
                    task.topic,
                    task.timeout_s,
                    task.retries,
                    blocked,
                    task.source_id.map(|id| *id.0.as_bytes()),
                ],
            )?;
            let id = TaskId(change.last_insert_rowid());
            let mut depends = change.prepare("INSERT INTO task_after VALUES (?1, ?2)")?;
            for after in &task.after {
                depends.execute([id.0, after.0])?;
            }
            note_step(change, id, "it was added", now)?;
            Ok(Ok(id))
        })
    }

    /// Returns one task, or `None` if there is no task with this id.
    pub fn task(&self, id: TaskId) -> Result<Option<Task>, LedgerError> {
        Ok(self.select_tasks("WHERE id = ?1", &[&id.0], 1)?.pop())
    }

    /// Returns tasks, oldest first.
    pub fn tasks(&self, query: &TaskQuery<'_>) -> Result<Vec<Task>, LedgerError> {
        let states = if query.states.is_empty() { &TaskState::ALL } else { query.states };
        let most = query.newest.unwrap_or(ALL);
        let mut found = Vec::new();
        // One query per state: an index delivers each in order, so that ten thousand tasks need not be sorted to show
        // fifty.
        for state in states {
            found.extend(match query.agent {
                Some(agent) => self.select_tasks(
                    &format!("INDEXED BY tasks_of WHERE agent = ?1 AND state = '{state}' ORDER BY id DESC"),
                    &[agent.0.as_bytes()],
                    most,
                ),
                None => self.select_tasks(
                    &format!("INDEXED BY tasks_in WHERE state = '{state}' ORDER BY id DESC"),
                    &[],
                    most,
                ),
            }?);
        }
        found.sort_by_key(|task| task.id);
        found.drain(..found.len().saturating_sub(most));
        Ok(found)
    }

    /// Deletes tasks that ended before a time and that no open task depends on, and returns their number.
    pub(super) fn forget_tasks(&self, before: i64) -> Result<usize, LedgerError> {
        let over: Vec<TaskState> = TaskState::ALL.into_iter().filter(|state| state.is_over()).collect();
        let sql = format!(
            "DELETE FROM tasks WHERE state IN ({}) AND changed_at < ?1 AND NOT EXISTS (
                 SELECT 1 FROM task_after JOIN tasks AS later ON later.id = task_after.task
                 WHERE task_after.after = tasks.id AND later.state IN ({}))",
            words(&over),
            words(&TaskState::OPEN),
        );
        self.write(Durability::History, |change| {
            let gone = change.execute(&sql, [before])?;
            if gone > 0 {
                change.execute("DELETE FROM task_after WHERE task NOT IN (SELECT id FROM tasks)", [])?;
                change.execute("DELETE FROM task_steps WHERE task NOT IN (SELECT id FROM tasks)", [])?;
            }
            Ok(gone)
        })
    }

    /// Returns at most `most` tasks and skips rows with values that are unknown to this version.
    pub(super) fn select_tasks(
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

/// Converts a row to a task, or returns `None` if a value is unknown to this version.
pub(super) fn task(row: &Row<'_>) -> Option<Task> {
    let agent: [u8; 16] = row.get(1).ok()?;
    let name: String = row.get(2).ok()?;
    let owned = agent != NO_AGENT;
    let priority: i64 = row.get(4).ok()?;
    let dispatched: Option<i64> = row.get(20).ok()?;
    let after: Option<String> = row.get(21).ok()?;
    let percent: Option<u8> = row.get(17).ok()?;
    let note: Option<String> = row.get(18).ok()?;
    let source_id: Option<[u8; 16]> = row.get(22).ok()?;
    Some(Task {
        id: TaskId(row.get(0).ok()?),
        agent: owned.then(|| AgentId(Uuid::from_bytes(agent))),
        agent_name: if owned { Some(name.parse().ok()?) } else { None },
        pool: row.get(12).ok()?,
        text: row.get(3).ok()?,
        priority: Priority::ALL.into_iter().find(|known| rank(*known) == priority)?,
        state: state(row, 5)?,
        source: row.get(6).ok()?,
        source_id: source_id.map(|id| AgentId(Uuid::from_bytes(id))),
        created_at: Timestamp::from_microsecond(row.get(7).ok()?).ok()?,
        changed_at: Timestamp::from_microsecond(row.get(8).ok()?).ok()?,
        dispatched_at: dispatched.and_then(|at| Timestamp::from_microsecond(at).ok()),
        attempts: row.get(9).ok()?,
        retries: row.get(15).ok()?,
        timeout_s: row.get(14).ok()?,
        topic: row.get(13).ok()?,
        after: after.iter().flat_map(|ids| ids.split(',')).filter_map(|id| id.parse().ok()).collect(),
        blocked: row.get(16).ok()?,
        progress: percent.map(|percent| TaskProgress { percent, note: note.unwrap_or_default() }),
        flagged: row.get(19).ok()?,
        why: row.get(10).ok()?,
        result: row.get(11).ok()?,
    })
}

/// Parses a task state, or returns `None` if it is unknown to this version.
pub(super) fn state(row: &Row<'_>, at: usize) -> Option<TaskState> {
    let word: String = row.get(at).ok()?;
    word.parse().ok()
}

/// Returns the number by which SQLite orders priorities, with gaps for new ones.
pub(super) fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Critical => 10,
        Priority::High => 20,
        Priority::Normal => 30,
        Priority::Low => 40,
        Priority::Idle => 50,
    }
}

/// Returns a list of states for an SQL `IN` clause; an empty slice selects all states. The names are constants, so they
/// need no escaping.
pub(super) fn words(states: &[TaskState]) -> String {
    let states = if states.is_empty() { &TaskState::ALL } else { states };
    states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(", ")
}
