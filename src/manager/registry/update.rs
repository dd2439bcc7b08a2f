//! The only way to change the registry. Every status change is written to the ledger together with the record.
//!
//! The ledger is written first, under the registry's lock. A command that is killed in between leaves an event whose
//! sequence number the next change reuses, so that no event is lost or duplicated. The registry keeps events that the
//! ledger cannot store, because the disk is full or another process holds it, until the ledger can.

use crate::error::Error;
use crate::ledger::{Ledger, LedgerError};
use crate::manager::registry::RegistryWriter;
use crate::model::{AgentRecord, EventKind, LedgerEvent};
use crate::rules::status::attention::{needing_answer, needs_answer};
use crate::rules::status::cut_off;
use crate::rules::status::events::{change_events, failed_turn_event};
use crate::store::{Edit, LEDGER_STALE, RunFiles};

impl RegistryWriter<'_> {
    /// Changes the registry under its lock and records the resulting events.
    pub(in crate::manager) fn write<T>(&self, change: impl FnOnce(&mut Edit) -> T) -> Result<T, Error> {
        let now = self.0.now();
        let mut is_waiting_changed = false;
        let answer = self.0.store.update(now, |edit| {
            let answer = change(edit);
            mark_cut_off(edit);
            is_waiting_changed = edit.moves().iter().any(|moved| {
                let waits = |record: &Option<AgentRecord>| {
                    record.as_ref().filter(|record| needs_answer(record)).map(|record| record.name.clone())
                };
                waits(&moved.before) != waits(&moved.after)
            });
            let moves = edit.moves().iter().map(|moved| (moved.before.as_ref(), moved.after.as_ref()));
            let events = |(before, after)| {
                let change = change_events(before, after, now);
                change.into_iter().chain(failed_turn_event(before, after))
            };
            let happened: Vec<_> = moves.flat_map(events).collect();
            if !happened.is_empty() {
                self.note_with_owed(edit, happened);
            }
            answer
        })?;
        if is_waiting_changed {
            self.show_needing_answer();
        }
        Ok(answer)
    }

    /// Shows in the status lines how many agents need an answer. The registry is read again, because another process
    /// may have changed it since.
    pub(in crate::manager) fn show_needing_answer(&self) {
        let Ok(records) = self.0.store.read(self.0.now()) else { return };
        // A server that is not running or does not answer has no status line.
        if let Ok(tmux) = self.0.tmux() {
            let _ = tmux.set_needing_answer(&needing_answer(&records));
        }
    }

    /// Stores pending events in the ledger.
    pub fn store_pending_events(&self) -> Result<(), Error> {
        if self.0.store.has_pending_events(self.0.now())? {
            self.0.store.update(self.0.now(), |edit| self.note_with_owed(edit, vec![]))?;
        }
        Ok(())
    }

    /// Stores pending events and then new events in the ledger. If that fails, all of them become pending.
    fn note_with_owed(&self, edit: &mut Edit, mut happened: Vec<LedgerEvent>) {
        happened.splice(0..0, edit.pending_events());
        let left = if self.note(&happened) { vec![] } else { happened };
        edit.replace_pending_events(&left);
    }

    /// Completes the ledger from the registry after commands were killed. Returns the number of events that were added.
    pub fn mend_ledger(&self) -> Result<usize, Error> {
        if RunFiles(&self.0.store).exists(LEDGER_STALE) {
            self.catch_up()?;
        }
        let now = self.0.now();
        // Runs under the registry's lock, so that no command is between its two writes.
        self.0.store.update(now, |edit| {
            let records = edit.all()?;
            self.note_with_owed(edit, vec![]);
            let last: Vec<_> =
                records.iter().filter_map(|record| change_events(None, Some(record), now)).collect();
            self.with_ledger(|ledger| ledger.repair_status_changes(&last))
        })?
    }

    /// Records an event of an agent that is not a status change.
    pub(in crate::manager) fn record_event(&self, record: &AgentRecord, what: EventKind, why: String) {
        let (agent, name) = (record.id, record.name.clone());
        self.note(&[LedgerEvent { at: self.0.now(), agent, name, what, why }]);
    }

    /// Stores events in the ledger. A failure does not stop the caller but adds a notice. Returns whether it succeeded.
    pub(in crate::manager) fn note(&self, happened: &[LedgerEvent]) -> bool {
        if happened.is_empty() {
            return true;
        }
        let noted = self.with_ledger(|ledger| ledger.note(happened));
        if let Err(error) = &noted {
            self.0.notice(format!("events could not be stored yet: {error}"));
        }
        noted.is_ok()
    }

    /// Opens the ledger ahead of its use. The later use reports an error if it cannot be opened.
    pub(in crate::manager) fn open_ledger(&self) {
        let _ = self.with_ledger(Ledger::prepare);
    }

    /// Calls `ask` with the ledger, and creates the ledger if it does not exist.
    pub(in crate::manager) fn with_ledger<T>(
        &self,
        ask: impl FnOnce(&Ledger) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        if self.0.ledger.get().is_none() {
            let (ledger, notice) = Ledger::open(&self.0.home.path, self.0.now())?;
            notice.into_iter().for_each(|notice| self.report_ledger_repair(notice));
            let _ = self.0.ledger.set(ledger);
        }
        match self.0.ledger.get() {
            Some(ledger) => {
                let answer = ask(ledger);
                ledger.take_notice().into_iter().for_each(|notice| self.report_ledger_repair(notice));
                Ok(answer?)
            }
            None => unreachable!("it was just opened"),
        }
    }

    /// Calls `ask` with the ledger. Returns the default value if there is no ledger, and creates none.
    pub(in crate::manager) fn with_existing_ledger<T: Default>(
        &self,
        ask: impl FnOnce(&Ledger) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        if self.0.ledger.get().is_some() {
            return self.with_ledger(ask);
        }
        // Kept open: for root, SQLite touches the files when it opens them, and a watch would trigger itself forever.
        if self.0.reading.get().is_none()
            && let Some(ledger) = Ledger::open_existing(&self.0.home.path)?
        {
            let _ = self.0.reading.set(ledger);
        }
        match self.0.reading.get() {
            Some(ledger) => Ok(ask(ledger)?),
            None => Ok(T::default()),
        }
    }
}

/// Marks turns that the changes of an edit cut off, and clears the mark of agents that work again.
fn mark_cut_off(edit: &mut Edit) {
    let marked = edit.moves().iter().filter_map(|moved| {
        let (before, after) = (moved.before.as_ref()?, moved.after.as_ref()?);
        let mut record = edit.get(&after.name).ok().flatten().filter(|now| now.status == after.status)?;
        record.cut_off = cut_off::after_change(before, after);
        (record.cut_off != after.cut_off).then_some(record)
    });
    for record in marked.collect::<Vec<_>>() {
        edit.put(record);
    }
}
