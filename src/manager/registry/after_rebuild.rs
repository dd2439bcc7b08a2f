//! After the registry was put together again from what was left of it: the ledger knows what has happened since, and
//! people are told. Whoever mends it may be a hook or the supervisor, whom nobody hears.

use crate::error::Error;
use crate::ledger::Ledger;
use crate::manager::registry::RegistryWriter;
use crate::rules::status::events::caught_up;
use crate::store::{BEHIND, UNTOLD};

/// The file in `run/` with a repair of the ledger that no person has seen yet.
const LEDGER_UNTOLD: &str = "ledger-untold";

impl RegistryWriter<'_> {
    /// Brings what the registry says of agents up to the last that the ledger knows of each, when it was rebuilt.
    /// Whatever spoilt the registry may have spoilt the ledger too: then what is left of the agents is there all the
    /// same, and the rest is tried again by the next who looks.
    pub(in crate::manager) fn catch_up(&self) -> Result<(), Error> {
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
            Some(error) => self.0.notice(format!("agents are shown as they once were: {error}")),
            None => self.0.store.remove_run(BEHIND)?,
        }
        Ok(())
    }

    /// Keeps what became of a damaged ledger until a person has seen it: this process may be a hook or the supervisor.
    pub(in crate::manager) fn tell_ledger_repair(&self, notice: String) {
        let _ = self.0.store.write_run(LEDGER_UNTOLD, notice.as_bytes());
        self.0.notice(notice);
    }

    /// Looks for damage that an open ledger does not notice, and repairs it. A ledger that is not there is not begun.
    pub fn repair_ledger(&self) -> Result<(), Error> {
        let path = self.0.home.path.join("ledger.db");
        if !path.exists() {
            return Ok(());
        }
        self.with_ledger(Ledger::repair_if_damaged)
    }

    /// Repairs of the registry and the ledger that no person has seen yet; each is returned once.
    pub fn untold(&self) -> Vec<String> {
        let files = [UNTOLD, LEDGER_UNTOLD].into_iter();
        files
            .filter_map(|file| {
                let text = self.0.store.read_run(file)?;
                self.0.store.remove_run(file).ok()?;
                String::from_utf8(text).ok()
            })
            .collect()
    }
}
