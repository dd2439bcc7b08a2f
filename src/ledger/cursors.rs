//! The table of cursors: the last event that each reader has processed, so that a reader continues after a crash where
//! it stopped.

use rusqlite::OptionalExtension;

use super::{Durability, Ledger, LedgerError};

impl Ledger {
    /// Returns the number of the last event that a reader has processed, or 0 if it has not read yet.
    pub fn cursor(&self, reader: &str) -> Result<i64, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT id FROM cursors WHERE reader = ?1";
            Ok(connection.query_row(sql, [reader], |row| row.get(0)).optional()?.unwrap_or_default())
        })
    }

    /// Records the number of the last event that a reader has processed.
    pub fn set_cursor(&self, reader: &str, id: i64) -> Result<(), LedgerError> {
        self.write(Durability::History, |change| {
            let sql = "INSERT OR REPLACE INTO cursors (reader, id) VALUES (?1, ?2)";
            change.execute(sql, (reader, id)).map(drop)
        })
    }
}
