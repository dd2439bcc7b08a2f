//! Copies tasks, messages and the board from a damaged ledger, as far as they can still be read. Events are not copied:
//! their numbers start again, and nothing acts on them.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::tasks::words;

/// The tables to copy. Only complete rows with known values are copied, in the order of their numbers.
const TABLES: [&str; 5] = ["tasks", "task_after", "task_steps", "messages", "board"];

/// Copies all readable rows and returns the number of copied tasks.
pub(super) fn salvage(damaged: &Path, into: &Connection) -> usize {
    let mut tasks = 0;
    for table in TABLES {
        // Copies row by row up to the first unreadable row, first forwards and then backwards, because the damage lies
        // in between.
        for order in ["ASC", "DESC"] {
            let mut copied = 0;
            // The error is the damage that has been reported already.
            let _ = copy(damaged, into, (table, order), &mut copied);
            tasks += if table == "tasks" { copied } else { 0 };
        }
    }
    // A task that depends on an unreadable task would wait forever.
    let _ = into.execute_batch(
        "DELETE FROM task_after WHERE after NOT IN (SELECT id FROM tasks) OR task NOT IN (SELECT id FROM tasks);
         UPDATE tasks SET blocked = (SELECT count(*) FROM task_after JOIN tasks AS before ON before.id = after
             WHERE task = tasks.id AND before.state <> 'done');",
    );
    tasks
}

fn copy(
    damaged: &Path,
    into: &Connection,
    (table, order): (&str, &str),
    copied: &mut usize,
) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let from = Connection::open_with_flags(damaged, flags)?;
    // The damaged file is kept unchanged.
    from.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let by = if table == "task_after" { "task" } else { "rowid" };
    let understood = match table {
        "tasks" => format!("WHERE state IN ({}) AND length(agent) = 16", words(&[])),
        _ => String::new(),
    };
    // An older ledger has fewer columns; those that exist are copied.
    let mut read =
        from.prepare(&format!("SELECT * FROM {table} NOT INDEXED {understood} ORDER BY {by} {order}"))?;
    let columns = read.column_names().collect::<Vec<_>>().join(", ");
    let places = vec!["?"; read.column_count()].join(", ");
    let mut write = into.prepare(&format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})"))?;
    let count = read.column_count();
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let values: Vec<Value> = (0..count).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        *copied += write.execute(params_from_iter(values))?;
    }
    Ok(())
}
