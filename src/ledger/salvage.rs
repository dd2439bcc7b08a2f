//! Takes tasks over from a damaged ledger, as far as they can still be read. What happened is not taken over: its
//! numbers begin anew, and nobody acts on it.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::tasks::{self, COLUMNS};

/// Copies what can be read, and says how many tasks that were.
pub(super) fn tasks(damaged: &Path, into: &Connection) -> usize {
    let mut copied = 0;
    // Row after row until the first that cannot be read, forwards and then backwards: damage lies in between.
    for order in ["ASC", "DESC"] {
        // What stopped it is the damage, which is told already.
        let _ = copy(damaged, into, order, &mut copied);
    }
    copied
}

fn copy(damaged: &Path, into: &Connection, order: &str, copied: &mut usize) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let from = Connection::open_with_flags(damaged, flags)?;
    // It is kept as it is.
    from.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let mut read = from.prepare(&format!("SELECT {COLUMNS} FROM tasks NOT INDEXED ORDER BY id {order}"))?;
    let columns = read.column_count();
    let places = vec!["?"; columns].join(", ");
    let mut write = into.prepare(&format!("INSERT OR IGNORE INTO tasks ({COLUMNS}) VALUES ({places})"))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        if tasks::task(row).is_some() {
            let values: Vec<Value> = (0..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?;
            *copied += write.execute(params_from_iter(values))?;
        }
    }
    Ok(())
}
