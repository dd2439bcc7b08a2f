//! The rollback log of an import. Every created object is logged before it is created, so that a failed import, or the
//! next command after a `kill -9`, can remove it.

use crate::manager::handoff::HandoffImport;

use crate::error::Error;
use crate::manager::workspace::withdraw::{HANDOFF_NOTE, RollbackLog};
use crate::model::AgentRecord;

impl HandoffImport<'_> {
    pub(super) fn note_moving(&self, record: &AgentRecord, note: &RollbackLog) -> Result<(), Error> {
        let text = serde_json::to_vec(note)
            .map_err(|error| Error::io(format!("cannot write {HANDOFF_NOTE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(HANDOFF_NOTE, &text)?)
    }

    /// Returns the rollback log as stored so far.
    pub(super) fn moving_note(&self, record: &AgentRecord) -> RollbackLog {
        let text = self.0.store.instance(&record.name).read_state(HANDOFF_NOTE).ok().flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Records that the import is complete.
    pub(super) fn note_moved(&self, record: &AgentRecord) -> Result<(), Error> {
        Ok(self.0.store.instance(&record.name).remove_state(HANDOFF_NOTE)?)
    }
}
