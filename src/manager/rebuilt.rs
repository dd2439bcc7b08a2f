//! After the registry was put together again from what was left of it: the ledger knows what has happened since, and
//! people are told. Whoever mends it may be a hook or the supervisor, whom nobody hears.

use super::Manager;
use crate::error::Error;
use crate::rules::happenings::caught_up;
use crate::store::{BEHIND, UNTOLD};

impl Manager {
    /// Brings what the registry says of agents up to the last that the ledger knows of each, when it was rebuilt.
    pub(super) fn catch_up(&self) -> Result<(), Error> {
        self.write(|edit| {
            for record in edit.all()? {
                let last = self.with_existing_ledger(|ledger| ledger.last_status(record.id))?;
                if let Some(record) = last.and_then(|last| caught_up(&record, last)) {
                    edit.put(record);
                }
            }
            Ok::<_, Error>(())
        })??;
        Ok(self.store.remove_run(BEHIND)?)
    }

    /// What was mended and no person knows of yet, to be said once.
    pub fn untold(&self) -> Option<String> {
        let text = self.store.read_run(UNTOLD)?;
        self.store.remove_run(UNTOLD).ok()?;
        String::from_utf8(text).ok()
    }
}
