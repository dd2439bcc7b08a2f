//! The table of what happened. A row is never changed; a status change that is written again replaces its former row
//! and gets a new number, so that a reader who has passed the old one sees it.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};
use uuid::Uuid;

use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, Exit, Happening, Status, WaitingFor, What};

/// The longest reason that is kept; agents put whole screens there.
const MOST_WHY: usize = 4096;

/// How many rows are forgotten at a time: others write between two of these.
const FORGET_AT_ONCE: usize = 2000;

/// Everything that can happen and has nothing more to say.
const PLAIN: [What; 15] = [
    What::Attached,
    What::Detached,
    What::Prompted,
    What::Restarted,
    What::GaveUp,
    What::Hung,
    What::Heartbeat,
    What::Hibernated,
    What::Orphaned,
    What::Messaged,
    What::Wrote,
    What::TaskDone,
    What::TaskFailed,
    What::Renamed,
    What::Removed,
];

const INSERT: &str = "INSERT OR REPLACE INTO happenings
    (at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Which happenings are wanted.
#[derive(Debug, Clone)]
pub struct Query {
    /// Of this agent only.
    pub agent: Option<AgentId>,
    /// Not before this.
    pub since: Option<Timestamp>,
    /// Only those with a greater number.
    pub after: Option<i64>,
    /// How many at most, the oldest of them.
    pub limit: usize,
}

impl Default for Query {
    fn default() -> Query {
        Query { agent: None, since: None, after: None, limit: usize::MAX }
    }
}

impl Ledger {
    /// Does ahead what can be done before it is known what happened.
    pub fn prepare(&self) -> Result<(), LedgerError> {
        self.read(|connection| connection.prepare(INSERT).map(drop))
    }

    /// Writes down what happened, all of it or none.
    pub fn note(&self, happened: &[Happening]) -> Result<(), LedgerError> {
        if happened.is_empty() {
            return Ok(());
        }
        self.write(Durability::OfHistory, |change| {
            happened.iter().try_for_each(|happening| insert(change, happening))
        })
    }

    /// What happened, the oldest first, each with its number.
    pub fn happenings(&self, query: &Query) -> Result<Vec<(i64, Happening)>, LedgerError> {
        let since = query.since.map_or(i64::MIN, Timestamp::as_microsecond);
        let after = query.after.unwrap_or_default();
        let agent = query.agent.map(|agent| *agent.0.as_bytes());
        // Two texts, because one that serves both would read the whole table for one agent.
        let whose = if agent.is_some() { "agent = ?1" } else { "?1 IS NULL" };
        let sql = format!(
            "SELECT id, at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why
             FROM happenings WHERE {whose} AND id > ?2 AND at >= ?3 ORDER BY id"
        );
        self.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query(params![agent, after, since])?;
            let mut found = Vec::new();
            // The limit is not SQLite's to keep: rows that we pass over must not count, or a reader would stand still.
            while found.len() < query.limit {
                let Some(row) = rows.next()? else { break };
                found.extend(happening(row));
            }
            Ok(found)
        })
    }

    /// The last change of an agent's status.
    pub fn last_status(&self, agent: AgentId) -> Result<Option<Happening>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT id, at, agent, name, what, seq, from_status, to_status, waiting_for, exit_code, exit_signal, why
                 FROM happenings WHERE agent = ?1 AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
            )?;
            let mut rows = statement.query([agent.0.as_bytes()])?;
            Ok(rows.next()?.and_then(happening).map(|(_, happening)| happening))
        })
    }

    /// Brings the changes of status into line with what the registry says was the last of each agent: a line beyond
    /// that is of a change that was cut short, and goes; a last one that is missing is written. Says how many that were.
    pub fn mend(&self, last: &[Happening]) -> Result<usize, LedgerError> {
        self.write(Durability::OfHistory, |change| {
            let mut mended = 0;
            let mut cut_short = change.prepare("DELETE FROM happenings WHERE agent = ?1 AND seq > ?2")?;
            let mut known = change.prepare("SELECT 1 FROM happenings WHERE agent = ?1 AND seq = ?2")?;
            for happening in last {
                let What::Status { seq, .. } = happening.what else { continue };
                let (agent, seq) = (*happening.agent.0.as_bytes(), i64::try_from(seq).unwrap_or(i64::MAX));
                mended += cut_short.execute(params![agent, seq])?;
                let is_there = known.exists(params![agent, seq])?;
                if !is_there {
                    insert(change, happening)?;
                    mended += 1;
                }
            }
            Ok(mended)
        })
    }

    /// The greatest number that was ever given; 0 when nothing has happened.
    pub fn last_id(&self) -> Result<i64, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'happenings'";
            connection.query_row(sql, [], |row| row.get(0))
        })
    }

    /// Forgets what happened before a time, tasks that were over then and mail that was read; says how many rows that
    /// were. What a reader has not passed yet is kept.
    pub fn forget_before(&self, at: Timestamp) -> Result<usize, LedgerError> {
        let at = at.as_microsecond();
        let mut count = self.forget_tasks(at)? + self.forget_messages(at)?;
        loop {
            let old = self.older_than(at)?;
            self.write(Durability::OfHistory, |change| {
                old.iter().try_for_each(|id| crate::ledger::counters::remember(change, *id))?;
                let mut delete = change.prepare("DELETE FROM happenings WHERE id = ?1")?;
                old.iter().try_for_each(|id| delete.execute([id]).map(drop))
            })?;
            count += old.len();
            if old.len() < FORGET_AT_ONCE {
                return Ok(count);
            }
        }
    }

    /// The numbers of some rows that may be forgotten. They are looked for without keeping anybody from writing.
    fn older_than(&self, at: i64) -> Result<Vec<i64>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT id FROM happenings
                 WHERE at < ?1 AND id <= (SELECT coalesce(min(id), 9223372036854775807) FROM cursors) LIMIT ?2",
            )?;
            let ids = statement.query_map(params![at, FORGET_AT_ONCE as i64], |row| row.get(0))?;
            ids.collect()
        })
    }
}

fn insert(change: &Transaction<'_>, happening: &Happening) -> rusqlite::Result<()> {
    let Happening { at, agent, name, what, why } = happening;
    let (seq, from, to, waiting_for, exit) = match what {
        What::Status { seq, from, to, waiting_for, exit } => {
            // A number above SQLite's would be one of a billion years.
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
            cut(why, MOST_WHY),
        ],
    )?;
    Ok(())
}

/// A row in our words; none when one of them is not ours.
fn happening(row: &Row<'_>) -> Option<(i64, Happening)> {
    let what: String = row.get(4).ok()?;
    let what = match what.as_str() {
        "status" => What::Status {
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
    let happening = Happening {
        at: Timestamp::from_microsecond(row.get(1).ok()?).ok()?,
        agent: AgentId(Uuid::from_bytes(row.get(2).ok()?)),
        name: row.get::<_, String>(3).ok()?.parse().ok()?,
        what,
        why: row.get(11).ok()?,
    };
    Some((row.get(0).ok()?, happening))
}

/// Nothing, or a word that must be one of ours.
fn optional<T>(row: &Row<'_>, at: usize, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match row.get::<_, Option<String>>(at).ok()? {
        None => Some(None),
        Some(word) => parse(&word).map(Some),
    }
}

fn waiting_for(word: &str) -> Option<WaitingFor> {
    WaitingFor::ALL.into_iter().find(|needs| needs.to_string() == word)
}

/// The beginning of a text, in whole characters.
pub(super) fn cut(text: &str, longest: usize) -> &str {
    let end = (0..=longest.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}
