//! Work after a rebuild of the registry: the ledger supplies later changes, and the user is notified. The rebuild may
//! run in a hook or in the supervisor, whose stderr is discarded.

use crate::error::Error;
use crate::ledger::Ledger;
use crate::manager::registry::RegistryWriter;
use crate::rules::status::events::caught_up;
use crate::store::{LEDGER_STALE, REPAIR_UNREPORTED, RunFiles};

/// File in `run/` with a repair of the ledger that no user has seen yet.
const REPAIR_UNREPORTED_FILE: &str = "ledger-untold";

impl RegistryWriter<'_> {
    /// Updates each record of a rebuilt registry to the last status in the ledger.
    ///
    /// The ledger may be damaged by the same cause as the registry. Then the rebuilt records are used as they are, and
    /// the next command tries again.
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
            Some(error) => self.0.notice(format!("the list of agents may be outdated: {error}")),
            None => RunFiles(&self.0.store).remove(LEDGER_STALE)?,
        }
        Ok(())
    }

    /// Stores the result of a ledger repair until a user has seen it, because this process may be a hook or the
    /// supervisor.
    pub(in crate::manager) fn report_ledger_repair(&self, notice: String) {
        let _ = RunFiles(&self.0.store).write(REPAIR_UNREPORTED_FILE, notice.as_bytes());
        self.0.notice(notice);
    }

    /// Checks for damage that an open ledger does not notice, and repairs it. Does not create a ledger.
    pub fn repair_ledger(&self) -> Result<(), Error> {
        let path = self.0.home.path.join("ledger.db");
        if !path.exists() {
            return Ok(());
        }
        self.with_ledger(Ledger::repair_if_damaged)
    }

    /// Returns repairs of the registry and the ledger that no user has seen yet. Each is returned once.
    pub fn unreported_notices(&self) -> Vec<String> {
        let files = [REPAIR_UNREPORTED, REPAIR_UNREPORTED_FILE].into_iter();
        files
            .filter_map(|file| {
                let text = RunFiles(&self.0.store).read(file)?;
                RunFiles(&self.0.store).remove(file).ok()?;
                String::from_utf8(text).ok()
            })
            .collect()
    }
}
