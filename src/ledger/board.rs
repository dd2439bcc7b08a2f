//! The table of board notes that the agents of a project share, with the last author and the time of the last change.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

use super::{Durability, Ledger, LedgerError};
use crate::model::BoardEntry;

/// Whether new text replaces a note or is appended to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteWrite {
    /// Replace the text of the note.
    Set,
    /// Append the text as a new line.
    Append,
}

impl Ledger {
    /// Returns one note of a project with its text, or `None` if there is no note with this key.
    pub fn board_get(&self, project: &str, key: &str) -> Result<Option<BoardEntry>, LedgerError> {
        let sql = "SELECT key, length(CAST(value AS BLOB)), author, at, version, value FROM board
                   WHERE project = ?1 AND key = ?2";
        self.read(|connection| {
            connection
                .prepare(sql)?
                .query_row(params![project, key], |row| entry(row, Some(row.get(5)?)))
                .optional()
        })
    }

    /// Returns the notes of a project in the order of their keys, without their texts.
    pub fn board_list(&self, project: &str) -> Result<Vec<BoardEntry>, LedgerError> {
        let sql = "SELECT key, length(CAST(value AS BLOB)), author, at, version FROM board
                   WHERE project = ?1 ORDER BY key";
        self.read(|connection| {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([project], |row| entry(row, None))?;
            rows.collect()
        })
    }

    /// Writes a note. If its text would become longer than `most` bytes, the note stays unchanged and the inner error
    /// contains the length that it would have had.
    pub fn board_write(
        &self,
        (project, key): (&str, &str),
        (value, writing): (&str, NoteWrite),
        (author, now): (&str, Timestamp),
        most: u64,
    ) -> Result<Result<(), u64>, LedgerError> {
        self.write(Durability::Work, |change| {
            let sql = "SELECT value FROM board WHERE project = ?1 AND key = ?2";
            let before: Option<String> =
                change.prepare(sql)?.query_row(params![project, key], |row| row.get(0)).optional()?;
            let value = match (writing, before) {
                (NoteWrite::Append, Some(before)) if !before.is_empty() && !before.ends_with('\n') => {
                    format!("{before}\n{value}")
                }
                (NoteWrite::Append, Some(before)) => before + value,
                _ => value.to_owned(),
            };
            let size = value.len() as u64;
            if size > most {
                return Ok(Err(size));
            }
            let sql = "INSERT INTO board VALUES (?1, ?2, ?3, ?4, ?5, 1) ON CONFLICT DO UPDATE
                       SET value = ?3, author = ?4, at = ?5, version = version + 1";
            change.prepare(sql)?.execute(params![project, key, value, author, now.as_microsecond()])?;
            Ok(Ok(()))
        })
    }

    /// Removes a note and returns whether it existed.
    pub fn board_remove(&self, project: &str, key: &str) -> Result<bool, LedgerError> {
        self.write(Durability::Work, |change| {
            Ok(change.execute("DELETE FROM board WHERE project = ?1 AND key = ?2", params![project, key])?
                > 0)
        })
    }
}

fn entry(row: &Row<'_>, value: Option<String>) -> rusqlite::Result<BoardEntry> {
    Ok(BoardEntry {
        key: row.get(0)?,
        size: row.get::<_, i64>(1)?.unsigned_abs(),
        author: row.get(2)?,
        at: Timestamp::from_microsecond(row.get(3)?).unwrap_or(Timestamp::UNIX_EPOCH),
        version: row.get(4)?,
        value,
    })
}
