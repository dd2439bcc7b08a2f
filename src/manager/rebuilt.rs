//! After the registry was put together again from what was left of it: the ledger knows what has happened since, and
//! people are told. Whoever mends it may be a hook or the supervisor, whom nobody hears.

use super::Manager;
use crate::error::Error;
use crate::rules::happenings::caught_up;
use crate::store::{BEHIND, UNTOLD};

impl Manager {
    /// Brings what the registry says of agents up to the last that the ledger knows of each, when it was rebuilt.
    /// Whatever spoilt the registry may have spoilt the ledger too: then what is left of the agents is there all the
    /// same, and the rest is tried again by the next who looks.
    pub(super) fn catch_up(&self) -> Result<(), Error> {
        let unread = self.write(|edit| {
            for record in edit.all()? {
                let last = match self.with_existing_ledger(|ledger| ledger.last_status(record.id)) {
                    Ok(last) => last,
                    Err(error) => return Ok(Some(error)),
                };
                if let Some(record) = last.and_then(|last| caught_up(&record, last)) {
                    edit.put(record);
                }
            }
            Ok::<_, Error>(None)
        })??;
        match unread {
            Some(error) => self.notice(format!("agents are shown as they once were: {error}")),
            None => self.store.remove_run(BEHIND)?,
        }
        Ok(())
    }

    /// What was mended and no person knows of yet, to be said once.
    pub fn untold(&self) -> Option<String> {
        let text = self.store.read_run(UNTOLD)?;
        self.store.remove_run(UNTOLD).ok()?;
        String::from_utf8(text).ok()
    }
}
