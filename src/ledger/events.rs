//! The table of events. A row is never changed. A status change that is written again replaces its previous row and
//! gets a new number, so that a reader that has passed the old number sees it.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};
use uuid::Uuid;

use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, EventKind, Exit, LedgerEvent, Status, WaitingFor};

/// Maximum stored length of a reason in bytes; agents put whole screens there.
const MAX_REASON_BYTES: usize = 4096;

/// Number of rows to delete in one transaction, so that other processes can write in between.
const DELETE_BATCH: usize = 2000;

/// All event kinds without further data.
const PLAIN: [EventKind; 16] = [
    EventKind::Attached,
    EventKind::Detached,
    EventKind::Prompted,
    EventKind::TurnFailed,
    EventKind::Restarted,
    EventKind::GaveUp,
    EventKind::Hung,
    EventKind::Heartbeat,
    EventKind::Hibernated,
    EventKind::Orphaned,
    EventKind::Messaged,
    EventKind::Wrote,
    EventKind::TaskDone,
    EventKind::TaskFailed,
    EventKind::Renamed,
    EventKind::Removed,
];

const INSERT: &str = "INSERT OR REPLACE INTO happenings
    (at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// The selection of events for a query.
#[derive(Debug, Clone)]
pub struct EventQuery {
    /// Only events of this agent.
    pub agent: Option<AgentId>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// Only events with a greater number.
    pub after: Option<i64>,
    /// Maximum number of events; the oldest are returned first.
    pub limit: usize,
}

impl Default for EventQuery {
    fn default() -> EventQuery {
        EventQuery { agent: None, since: None, after: None, limit: usize::MAX }
    }
}

impl Ledger {
    /// Prepares the insert statement before the first event is known, to save time later.
    pub fn prepare(&self) -> Result<(), LedgerError> {
        self.read(|connection| connection.prepare(INSERT).map(drop))
    }

    /// Stores events, either all of them or none.
    pub fn note(&self, happened: &[LedgerEvent]) -> Result<(), LedgerError> {
        if happened.is_empty() {
            return Ok(());
        }
        self.write(Durability::History, |change| happened.iter().try_for_each(|event| insert(change, event)))
    }

    /// Returns events with their numbers, oldest first.
    pub fn events(&self, query: &EventQuery) -> Result<Vec<(i64, LedgerEvent)>, LedgerError> {
        let since = query.since.map_or(i64::MIN, Timestamp::as_microsecond);
        let after = query.after.unwrap_or_default();
        let agent = query.agent.map(|agent| *agent.0.as_bytes());
        // Two SQL texts, because a single text for both cases would read the whole table to find one agent.
        let agent_condition = if agent.is_some() { "agent = ?1" } else { "?1 IS NULL" };
        let sql = format!(
            "SELECT id, at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why
             FROM happenings WHERE {agent_condition} AND id > ?2 AND at >= ?3 ORDER BY id"
        );
        self.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query(params![agent, after, since])?;
            let mut found = Vec::new();
            // The limit is applied here and not in SQL: rows that are skipped must not count, or a reader would never
            // advance.
            while found.len() < query.limit {
                let Some(row) = rows.next()? else { break };
                found.extend(event(row));
            }
            Ok(found)
        })
    }

    /// Returns the last status change of an agent.
    pub fn last_status(&self, agent: AgentId) -> Result<Option<LedgerEvent>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT id, at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why
                 FROM happenings WHERE agent = ?1 AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
            )?;
            let mut rows = statement.query([agent.0.as_bytes()])?;
            Ok(rows.next()?.and_then(event).map(|(_, event)| event))
        })
    }

    /// Makes the stored status changes consistent with the registry, which knows the last change of each agent. Deletes
    /// later changes, which an interrupted process left behind, and inserts a last change that is missing. Returns the
    /// number of corrected rows.
    pub fn repair_status_changes(&self, last: &[LedgerEvent]) -> Result<usize, LedgerError> {
        self.write(Durability::History, |change| {
            let mut mended = 0;
            let mut cut_short = change.prepare("DELETE FROM happenings WHERE agent = ?1 AND seq > ?2")?;
            let mut known = change.prepare("SELECT 1 FROM happenings WHERE agent = ?1 AND seq = ?2")?;
            for event in last {
                let EventKind::Status { seq, .. } = event.what else { continue };
                let (agent, seq) = (*event.agent.0.as_bytes(), i64::try_from(seq).unwrap_or(i64::MAX));
                mended += cut_short.execute(params![agent, seq])?;
                let is_there = known.exists(params![agent, seq])?;
                if !is_there {
                    insert(change, event)?;
                    mended += 1;
                }
            }
            Ok(mended)
        })
    }

    /// Returns the greatest event number that was ever assigned, or 0 if there has been no event.
    pub fn last_id(&self) -> Result<i64, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'happenings'";
            connection.query_row(sql, [], |row| row.get(0))
        })
    }

    /// Deletes events before a time, tasks that ended before it and messages that were read before it, and returns the
    /// number of deleted rows. Events that a reader has not processed yet are kept.
    pub fn forget_before(&self, at: Timestamp) -> Result<usize, LedgerError> {
        let at = at.as_microsecond();
        let mut count = self.forget_tasks(at)? + self.forget_messages(at)?;
        loop {
            let old = self.older_than(at)?;
            self.write(Durability::History, |change| {
                old.iter().try_for_each(|id| crate::ledger::counters::remember(change, *id))?;
                let mut delete = change.prepare("DELETE FROM happenings WHERE id = ?1")?;
                old.iter().try_for_each(|id| delete.execute([id]).map(drop))
            })?;
            count += old.len();
            if old.len() < DELETE_BATCH {
                return Ok(count);
            }
        }
    }

    /// Returns the numbers of some rows that may be deleted. The search does not block writers.
    fn older_than(&self, at: i64) -> Result<Vec<i64>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT id FROM happenings
                 WHERE at < ?1 AND id <= (SELECT coalesce(min(id), 9223372036854775807) FROM cursors) LIMIT ?2",
            )?;
            let ids = statement.query_map(params![at, DELETE_BATCH as i64], |row| row.get(0))?;
            ids.collect()
        })
    }
}

fn insert(change: &Transaction<'_>, event: &LedgerEvent) -> rusqlite::Result<()> {
    let LedgerEvent { at, agent, name, what, why } = event;
    let (seq, from, to, waiting_for, exit) = match what {
        EventKind::Status { seq, from, to, waiting_for, exit } => {
            // A sequence number above SQLite's limit would take a billion years to reach.
            (Some(i64::try_from(*seq).unwrap_or(i64::MAX)), *from, Some(*to), *waiting_for, *exit)
        }
        _ => (None, None, None, None, None),
    };
    change.execute(
        INSERT,
        params![
            at.as_microsecond(),
            agent.0.as_bytes(),
            name.as_str(),
            what.word(),
            seq,
            from.map(Status::word),
            to.map(Status::word),
            waiting_for.map(|needs| needs.to_string()),
            exit.and_then(|exit| exit.code),
            exit.and_then(|exit| exit.signal),
            cut(why, MAX_REASON_BYTES),
        ],
    )?;
    Ok(())
}

/// Converts a row to an event, or returns `None` if a value is unknown to this version.
fn event(row: &Row<'_>) -> Option<(i64, LedgerEvent)> {
    let what: String = row.get(4).ok()?;
    let what = match what.as_str() {
        "status" => EventKind::Status {
            seq: u64::try_from(row.get::<_, i64>(5).ok()?).ok()?,
            from: optional(row, 6, |word| word.parse().ok())?,
            to: row.get::<_, String>(7).ok()?.parse().ok()?,
            waiting_for: optional(row, 8, waiting_for)?,
            exit: match (row.get(9).ok()?, row.get(10).ok()?) {
                (None, None) => None,
                (code, signal) => Some(Exit { code, signal }),
            },
        },
        word => PLAIN.into_iter().find(|what| what.word() == word)?,
    };
    let event = LedgerEvent {
        at: Timestamp::from_microsecond(row.get(1).ok()?).ok()?,
        agent: AgentId(Uuid::from_bytes(row.get(2).ok()?)),
        name: row.get::<_, String>(3).ok()?.parse().ok()?,
        what,
        why: row.get(11).ok()?,
    };
    Some((row.get(0).ok()?, event))
}

/// Parses an optional value. The outer `None` means that the value is unknown to this version.
fn optional<T>(row: &Row<'_>, at: usize, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match row.get::<_, Option<String>>(at).ok()? {
        None => Some(None),
        Some(word) => parse(&word).map(Some),
    }
}

fn waiting_for(word: &str) -> Option<WaitingFor> {
    word.parse().ok()
}

/// Returns the beginning of a text, cut at a character boundary.
pub(super) fn cut(text: &str, longest: usize) -> &str {
    let end = (0..=longest.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}
