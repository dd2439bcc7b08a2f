//! The tables of the ledger and the migration of older versions.
//!
//! The version is SQLite's `user_version`. Migration steps are only added and never changed, because every older
//! version must stay readable. Version 0 is not a ledger.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// The migration steps. Each step leads from the previous version to the next; the first creates version 1.
const STEPS: [&str; 3] = [
    "
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
",
    "
    -- Tasks of a pool and mail for the user have an agent of sixteen zero bytes.
    ALTER TABLE tasks ADD COLUMN pool TEXT;
    ALTER TABLE tasks ADD COLUMN topic TEXT;
    ALTER TABLE tasks ADD COLUMN timeout_s INTEGER;
    ALTER TABLE tasks ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tasks ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tasks ADD COLUMN percent INTEGER;
    ALTER TABLE tasks ADD COLUMN note TEXT;
    ALTER TABLE tasks ADD COLUMN flagged INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tasks ADD COLUMN dispatched_at INTEGER;
    DROP INDEX tasks_queue;
    CREATE INDEX tasks_of ON tasks (agent, state);
    CREATE INDEX tasks_in ON tasks (state);
    CREATE INDEX tasks_queue ON tasks (state, blocked, agent, priority);
    CREATE INDEX tasks_pool ON tasks (pool, state, blocked, priority) WHERE pool IS NOT NULL;
    CREATE TABLE task_after (
        task INTEGER NOT NULL,
        after INTEGER NOT NULL,
        PRIMARY KEY (task, after)
    ) WITHOUT ROWID;
    CREATE INDEX task_after_back ON task_after (after);
    CREATE TABLE task_steps (
        id INTEGER PRIMARY KEY,
        task INTEGER NOT NULL,
        at INTEGER NOT NULL,
        state TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        why TEXT NOT NULL
    );
    CREATE INDEX task_steps_of ON task_steps (task);
    -- Updated by the triggers below, because counting ten thousand tasks for each list is slow.
    CREATE TABLE queues (
        agent BLOB NOT NULL,
        state TEXT NOT NULL,
        tasks INTEGER NOT NULL,
        PRIMARY KEY (agent, state)
    ) WITHOUT ROWID;
    INSERT INTO queues SELECT agent, state, count(*) FROM tasks GROUP BY 1, 2;
    CREATE TRIGGER queues_come AFTER INSERT ON tasks BEGIN
        INSERT INTO queues VALUES (NEW.agent, NEW.state, 1) ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    END;
    CREATE TRIGGER queues_move AFTER UPDATE OF agent, state ON tasks
        WHEN OLD.agent <> NEW.agent OR OLD.state <> NEW.state BEGIN
        UPDATE queues SET tasks = tasks - 1 WHERE agent = OLD.agent AND state = OLD.state;
        INSERT INTO queues VALUES (NEW.agent, NEW.state, 1) ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    END;
    CREATE TRIGGER queues_go AFTER DELETE ON tasks BEGIN
        UPDATE queues SET tasks = tasks - 1 WHERE agent = OLD.agent AND state = OLD.state;
    END;
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        sender TEXT NOT NULL,
        recipient BLOB NOT NULL,
        recipient_name TEXT NOT NULL,
        project TEXT,
        text TEXT NOT NULL,
        wake INTEGER NOT NULL,
        state TEXT NOT NULL,
        changed_at INTEGER NOT NULL,
        why TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX messages_of ON messages (recipient, state, wake);
    CREATE INDEX messages_mail ON messages (state, wake, recipient);
    CREATE TABLE board (
        project TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        author TEXT NOT NULL,
        at INTEGER NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (project, key)
    );
",
    "
    -- The agent that added a task; NULL for people, for the supervisor and for tasks of version 2.
    ALTER TABLE tasks ADD COLUMN source_id BLOB;
",
];

/// The schema version that this program writes.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// Returns the schema version of a file, or 0 if the file is empty or belongs to another program.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Applies all missing migration steps, either all of them or none.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let change = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Checked again, because another process may have migrated the ledger while this one waited for the write lock.
    let found = usize::try_from(version(&change)?).unwrap_or_default();
    for step in STEPS.iter().skip(found) {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", VERSION.max(i64::try_from(found).unwrap_or(VERSION)))?;
    change.commit()
}
