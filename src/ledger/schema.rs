//! The tables of the ledger and how an older ledger becomes one of today.
//!
//! The version is SQLite's `user_version`. A step is only ever added, never changed: what an older symposium wrote
//! must load for ever. Version 0 is no ledger of ours.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// What leads from the version before to this one; the first leads from nothing to version 1.
const STEPS: [&str; 1] = ["
    -- AUTOINCREMENT: a number that a reader has passed is never given again.
    CREATE TABLE happenings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        agent BLOB NOT NULL,
        name TEXT NOT NULL,
        what TEXT NOT NULL,
        seq INTEGER,
        from_status TEXT,
        to_status TEXT,
        waiting_for TEXT,
        exit_code INTEGER,
        exit_signal INTEGER,
        why TEXT NOT NULL,
        UNIQUE (agent, seq)
    );
    CREATE TABLE forgotten (
        what TEXT NOT NULL,
        to_status TEXT NOT NULL,
        times INTEGER NOT NULL,
        PRIMARY KEY (what, to_status)
    ) WITHOUT ROWID;
    CREATE TABLE cursors (reader TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE tasks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        agent BLOB NOT NULL,
        agent_name TEXT NOT NULL,
        text TEXT NOT NULL,
        priority INTEGER NOT NULL,
        state TEXT NOT NULL,
        source TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        why TEXT NOT NULL DEFAULT '',
        result TEXT
    );
    CREATE INDEX tasks_queue ON tasks (agent, state, priority);
"];

/// The version that this symposium writes.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// The version that a file says it has; 0 when it is empty or somebody else's.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes every step that is missing, all of them or none.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let change = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Asked again: while we waited for the right to write, another may have done it.
    let found = usize::try_from(version(&change)?).unwrap_or_default();
    for step in STEPS.iter().skip(found) {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", VERSION.max(i64::try_from(found).unwrap_or(VERSION)))?;
    change.commit()
}
