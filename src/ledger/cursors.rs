//! The table of how far each reader of what happened has come, so that one that was killed goes on where it was.

use rusqlite::OptionalExtension;

use super::{Durability, Ledger, LedgerError};

impl Ledger {
    /// The number that a reader has passed; 0 when it has not read yet.
    pub fn cursor(&self, reader: &str) -> Result<i64, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT id FROM cursors WHERE reader = ?1";
            Ok(connection.query_row(sql, [reader], |row| row.get(0)).optional()?.unwrap_or_default())
        })
    }

    /// Says that a reader has passed a number.
    pub fn set_cursor(&self, reader: &str, id: i64) -> Result<(), LedgerError> {
        self.write(Durability::OfHistory, |change| {
            let sql = "INSERT OR REPLACE INTO cursors (reader, id) VALUES (?1, ?2)";
            change.execute(sql, (reader, id)).map(drop)
        })
    }
}
