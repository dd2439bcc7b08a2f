//! The ledger edge: what happened and what is to be done, in `ledger.db` (SQLite). One file a table.
//!
//! A change is kept whole or not at all, whoever is killed when. What happened may lose its last moments to a power
//! cut, a task never does. A row with a word that only a newer symposium knows is passed over, never an error. Must
//! never be asked for what is true now: that is the registry's.

mod board;
mod counters;
mod cursors;
mod error;
mod events;
mod file;
mod messages;
mod queues;
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

pub use board::Writing;
pub use error::LedgerError;
pub use events::Query;
pub use messages::MessageQuery;
pub use queues::Queues;
pub use task_transitions::TaskMove;
pub use tasks::TaskQuery;

use file::Opened;

/// An open ledger.
pub struct Ledger {
    path: PathBuf,
    /// When it was opened by somebody who may begin it anew; none for those who only read.
    since: Option<Timestamp>,
    state: Mutex<State>,
}

struct State {
    opened: Opened,
    notice: Option<String>,
}

/// How sure a change must be before it counts as made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// It survives us; a power cut may take it back.
    OfHistory,
    /// It survives a power cut.
    OfWork,
}

impl Ledger {
    /// Opens the ledger of a state directory, and begins one when there is none. A damaged one is kept aside and
    /// begun anew; the second answer says so.
    pub fn open(home: &Path, now: Timestamp) -> Result<(Ledger, Option<String>), LedgerError> {
        let path = home.join("ledger.db");
        let (opened, notice) = file::open_or_begin(&path, now)?;
        let state = Mutex::new(State { opened, notice: None });
        Ok((Ledger { path, since: Some(now), state }, notice))
    }

    /// Opens the ledger to read in it; none when there is none, and none is begun.
    pub fn open_existing(home: &Path) -> Result<Option<Ledger>, LedgerError> {
        let path = home.join("ledger.db");
        let opened = file::open(&path)?;
        Ok(opened.map(|opened| {
            let state = Mutex::new(State { opened, notice: None });
            Ledger { path, since: None, state }
        }))
    }

    /// What befell the ledger since it was opened, to be told once.
    pub fn take_notice(&self) -> Option<String> {
        self.state().notice.take()
    }

    /// Takes the log over into the file and empties it, as far as nobody reads in it.
    pub fn checkpoint(&self) -> Result<(), LedgerError> {
        self.read(|connection| file::take_over_log(connection).map(drop))
    }

    /// Reads the whole file anew and, if it is damaged, keeps it aside and begins another. Pages that an open ledger
    /// has in memory hide damage of the file from it.
    pub fn repair_if_damaged(&self) -> Result<(), LedgerError> {
        let Some(since) = self.since else { return Ok(()) };
        let mut state = self.state();
        let what = match file::open(&self.path) {
            Ok(Some(fresh)) if !file::is_damaged(&fresh.connection) => return Ok(()),
            Ok(Some(_)) => "SQLite finds it malformed".to_owned(),
            Ok(None) => return self.find_again(&mut state),
            Err(LedgerError::Damaged { what, .. }) => what,
            Err(error) => return Err(error),
        };
        let (opened, notice) = file::begin_anew(&self.path, &state.opened, &what, since)?;
        *state = State { opened, notice };
        Ok(())
    }

    /// Reads; a long-lived reader finds the file again when it was replaced.
    fn read<T>(&self, ask: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let mut state = self.state();
        if !state.opened.is_at(&self.path) {
            self.find_again(&mut state)?;
        }
        let said = ask(&state.opened.connection).map_err(|source| {
            let error = LedgerError::of(&self.path, source);
            // Of a text that is too long, and of one that damage makes look so, SQLite says the same.
            match error.is_too_big() && file::is_damaged(&state.opened.connection) {
                true => LedgerError::Damaged { path: self.path.clone(), what: error.to_string() },
                false => error,
            }
        });
        match (said, self.since) {
            (Err(LedgerError::Damaged { what, .. }), Some(since)) => {
                let (opened, notice) = file::begin_anew(&self.path, &state.opened, &what, since)?;
                *state = State { opened, notice };
                ask(&state.opened.connection).map_err(|source| LedgerError::of(&self.path, source))
            }
            (said, _) => said,
        }
    }

    /// Changes something, whole or not at all.
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
                // What was written is safe in the log; the next writer will try again.
                let _ = file::take_over_log(connection);
            }
            Ok(answer)
        };
        self.read(|connection| match durability {
            Durability::OfHistory => all_or_none(connection),
            Durability::OfWork => {
                connection.pragma_update(None, "synchronous", "FULL")?;
                let answer = all_or_none(connection);
                connection.pragma_update(None, "synchronous", "NORMAL")?;
                answer
            }
        })
    }

    fn find_again(&self, state: &mut State) -> Result<(), LedgerError> {
        let (opened, notice) = match self.since {
            Some(since) => file::open_or_begin(&self.path, since)?,
            None => match file::open(&self.path)? {
                Some(opened) => (opened, None),
                None => return Ok(()),
            },
        };
        *state = State { opened, notice: notice.or(state.notice.take()) };
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("path", &self.path).finish_non_exhaustive()
    }
}
