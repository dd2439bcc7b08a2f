//! Counters of events since the ledger was created. Deleted events stay counted, so that a counter never decreases.

use rusqlite::Transaction;

use super::{Ledger, LedgerError};
use crate::model::{EventCounters, Status};

impl Ledger {
    /// Returns the counters since the ledger was created.
    pub fn event_counters(&self) -> Result<EventCounters, LedgerError> {
        self.read(|connection| {
            let mut tallies = EventCounters::default();
            let mut happened = connection.prepare(
                "SELECT what, to_status, sum(times) FROM (
                     SELECT what, coalesce(to_status, '') AS to_status, count(*) AS times FROM happenings GROUP BY 1, 2
                     UNION ALL SELECT what, to_status, times FROM forgotten
                 ) GROUP BY 1, 2",
            )?;
            let mut rows = happened.query([])?;
            while let Some(row) = rows.next()? {
                let (Ok(what), Ok(to)) = (row.get::<_, String>(0), row.get::<_, String>(1)) else { continue };
                count(&mut tallies, (&what, &to), row.get::<_, i64>(2)?.unsigned_abs());
            }
            let mut tasks = connection.prepare("SELECT state, count(*) FROM tasks GROUP BY 1")?;
            let mut rows = tasks.query([])?;
            while let Some(row) = rows.next()? {
                if let Some(state) = crate::ledger::tasks::state(row, 0) {
                    tallies.tasks.insert(state, row.get::<_, i64>(1)?.unsigned_abs());
                }
            }
            Ok(tallies)
        })
    }
}

/// Adds an event that is about to be deleted to the counters of deleted events.
pub(super) fn remember(change: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO forgotten (what, to_status, times)
               SELECT what, coalesce(to_status, ''), 1 FROM happenings WHERE id = ?1
               ON CONFLICT DO UPDATE SET times = times + 1";
    change.execute(sql, [id]).map(drop)
}

fn count(tallies: &mut EventCounters, (what, to): (&str, &str), times: u64) {
    match what {
        "status" => {
            if let Ok(to) = to.parse::<Status>() {
                tallies.transitions.insert(to, times);
            }
        }
        "restarted" => tallies.restarts = times,
        "gave-up" => tallies.given_up = times,
        "heartbeat" => tallies.heartbeats = times,
        _ => {}
    }
}
