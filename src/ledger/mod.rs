//! The ledger adapter: events, tasks, messages and the board in `ledger.db` (SQLite), with one source file per table.
//!
//! A change is stored completely or not at all, even if a process is killed. A power failure may lose the most recent
//! events, but never a task. Rows with values that only a newer version knows are skipped and are never an error. The
//! ledger must not be used for the current state of agents: that is in the registry.
//!
//! - `file`: opens, creates and moves aside the database file
//! - `schema`: the tables and the migration of older versions
//! - `events`: the table of events
//! - `cursors`: the table of cursors: the last event that each reader has processed
//! - `counters`: counters of events since the ledger was created
//! - `tasks`: the table of tasks
//! - `task_transitions`: state transitions of tasks
//! - `next_task`: the next task of an agent
//! - `queue_counts`: the counts of all queues
//! - `messages`: the table of messages
//! - `board`: the table of board notes
//! - `salvage`: copies rows from a damaged ledger
//! - `error`: the errors of the ledger

mod board;
mod counters;
mod cursors;
mod error;
mod events;
mod file;
mod messages;
mod next_task;
mod queue_counts;
mod salvage;
mod schema;
mod task_transitions;
mod tasks;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use board::NoteWrite;
pub use error::LedgerError;
pub use events::EventQuery;
pub use messages::MessageQuery;
pub use queue_counts::QueueCounts;
pub use task_transitions::TaskTransition;
pub use tasks::TaskQuery;

use file::OpenLedgerFile;

/// An open ledger.
pub struct Ledger {
    path: PathBuf,
    /// Time at which a process opened the ledger that may create it again after damage; `None` for readers.
    since: Option<Timestamp>,
    state: Mutex<LedgerState>,
}

struct LedgerState {
    opened: OpenLedgerFile,
    notice: Option<String>,
}

/// The durability that a change needs before it counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// The change survives the end of this process, but may be lost in a power failure.
    History,
    /// The change survives a power failure.
    Work,
}

impl Ledger {
    /// Opens the ledger of a state directory and creates it if it is missing. A damaged ledger is moved aside and
    /// created again; the second value is a notice that says so.
    pub fn open(home: &Path, now: Timestamp) -> Result<(Ledger, Option<String>), LedgerError> {
        let path = home.join("ledger.db");
        let (opened, notice) = file::open_or_begin(&path, now)?;
        let state = Mutex::new(LedgerState { opened, notice: None });
        Ok((Ledger { path, since: Some(now), state }, notice))
    }

    /// Opens an existing ledger for reading. Returns `None` if there is none, and creates nothing.
    pub fn open_existing(home: &Path) -> Result<Option<Ledger>, LedgerError> {
        let path = home.join("ledger.db");
        let opened = file::open(&path)?;
        Ok(opened.map(|opened| {
            let state = Mutex::new(LedgerState { opened, notice: None });
            Ledger { path, since: None, state }
        }))
    }

    /// Returns the notice about a repair since the ledger was opened. Each notice is returned once.
    pub fn take_notice(&self) -> Option<String> {
        self.state().notice.take()
    }

    /// Copies the write-ahead log into the database file and truncates it, unless other readers prevent it.
    pub fn checkpoint(&self) -> Result<(), LedgerError> {
        self.read(|connection| file::take_over_log(connection).map(drop))
    }

    /// Checks the whole file with a new connection. If it is damaged, moves it aside and creates a new ledger. A new
    /// connection is necessary because pages in the cache of an open connection hide damage in the file.
    pub fn repair_if_damaged(&self) -> Result<(), LedgerError> {
        let Some(since) = self.since else { return Ok(()) };
        let mut state = self.state();
        let what = match file::open(&self.path) {
            Ok(Some(fresh)) if !file::is_damaged(&fresh.connection) => return Ok(()),
            Ok(Some(_)) => "SQLite finds it malformed".to_owned(),
            Ok(None) => return self.reopen_replaced(&mut state),
            Err(LedgerError::Damaged { what, .. }) => what,
            Err(error) => return Err(error),
        };
        let (opened, notice) = file::recreate(&self.path, &state.opened, &what, since)?;
        *state = LedgerState { opened, notice };
        Ok(())
    }

    /// Runs a query. Opens the file again if it has been replaced since it was opened.
    fn read<T>(&self, ask: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let mut state = self.state();
        if !state.opened.is_at(&self.path) {
            self.reopen_replaced(&mut state)?;
        }
        let result = ask(&state.opened.connection).map_err(|source| {
            let error = LedgerError::of(&self.path, source);
            // SQLite reports the same error for a text that is too long and for damage that makes a text look too long.
            match error.is_too_big() && file::is_damaged(&state.opened.connection) {
                true => LedgerError::Damaged { path: self.path.clone(), what: error.to_string() },
                false => error,
            }
        });
        match (result, self.since) {
            (Err(LedgerError::Damaged { what, .. }), Some(since)) => {
                let (opened, notice) = file::recreate(&self.path, &state.opened, &what, since)?;
                *state = LedgerState { opened, notice };
                ask(&state.opened.connection).map_err(|source| LedgerError::of(&self.path, source))
            }
            (result, _) => result,
        }
    }

    /// Runs a change in a transaction, so that it is stored completely or not at all.
    fn write<T>(
        &self,
        durability: Durability,
        change: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let all_or_none = |connection: &Connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let answer = change(&transaction)?;
            transaction.commit()?;
            file::announce(&self.path);
            if file::is_log_long(&self.path) {
                // The change is safe in the write-ahead log; the next writer tries the checkpoint again.
                let _ = file::take_over_log(connection);
            }
            Ok(answer)
        };
        self.read(|connection| match durability {
            Durability::History => all_or_none(connection),
            Durability::Work => {
                connection.pragma_update(None, "synchronous", "FULL")?;
                let answer = all_or_none(connection);
                connection.pragma_update(None, "synchronous", "NORMAL")?;
                answer
            }
        })
    }

    fn reopen_replaced(&self, state: &mut LedgerState) -> Result<(), LedgerError> {
        let (opened, notice) = match self.since {
            Some(since) => file::open_or_begin(&self.path, since)?,
            None => match file::open(&self.path)? {
                Some(opened) => (opened, None),
                None => return Ok(()),
            },
        };
        *state = LedgerState { opened, notice: notice.or(state.notice.take()) };
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("path", &self.path).finish_non_exhaustive()
    }
}
