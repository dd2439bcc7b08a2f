//! The registry while it is being changed, in memory and under its lock. This module writes no files.

use serde_json::value::RawValue;

use crate::model::{AgentName, AgentRecord, LedgerEvent, Status};
use crate::store::registry::schema::{self, Registry};
use crate::store::{StoreError, StoreNotice, registry::unknown_fields};

/// Key of the pending events in a registry.
const PENDING_EVENTS_KEY: &str = "owed";
/// Maximum number of pending events: a ledger that cannot be written for a long time must not slow down every change.
const MAX_PENDING_EVENTS: usize = 500;

/// The argument of the closure of [`Store::update`](crate::store::Store::update).
#[derive(Debug)]
pub struct Edit {
    registry: Registry,
    changed: bool,
    moves: Vec<RecordChange>,
}

/// A record whose status or name changed, or that was added or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordChange {
    /// The record before the change.
    pub before: Option<AgentRecord>,
    /// The record after the change.
    pub after: Option<AgentRecord>,
}

impl Edit {
    pub(in crate::store) fn new(registry: Registry) -> Edit {
        Edit { registry, changed: false, moves: Vec::new() }
    }

    /// Returns the registry if it was changed.
    pub(in crate::store) fn changed(self) -> Option<Registry> {
        self.changed.then_some(self.registry)
    }

    /// Returns the record with this name, or an error if the entry exists but is invalid.
    pub fn get(&self, name: &AgentName) -> Result<Option<AgentRecord>, StoreError> {
        self.registry.entries.get(name.as_str()).map(|entry| parse_record(name.as_str(), entry)).transpose()
    }

    /// Stores a record under its name and numbers a change of its status. Unknown fields in the entry of the same agent
    /// are kept. Returns the stored record.
    pub fn put(&mut self, mut record: AgentRecord) -> AgentRecord {
        let former = self.get(&record.name).ok().flatten().filter(|former| former.id == record.id);
        if former.as_ref().is_none_or(|former| !former.status.same_as(&record.status)) {
            let counted = former.as_ref().map_or(0, |former| former.changes);
            record.changes = counted.max(record.changes) + 1;
            if record.status.status != Status::Starting {
                record.before_start = None;
            }
            self.moves.push(RecordChange { before: former, after: Some(record.clone()) });
        } else if let Some(former) = former {
            record.changes = former.changes;
        }
        let entry = unknown_fields::entry(
            &record,
            self.registry.entries.get(record.name.as_str()).map(|entry| &**entry),
        );
        self.set(record.name.clone(), entry);
        record
    }

    /// Removes an entry and returns whether it existed.
    pub fn remove(&mut self, name: &AgentName) -> bool {
        let before = self.get(name).ok().flatten();
        let was_there = self.registry.entries.remove(name.as_str()).is_some();
        self.moves.extend(before.map(|before| RecordChange { before: Some(before), after: None }));
        self.changed |= was_there;
        was_there
    }

    /// Returns the changes of status and name so far.
    pub fn moves(&self) -> &[RecordChange] {
        &self.moves
    }

    /// Moves an entry with its unknown fields to the name of its new record. An existing entry with that name is
    /// replaced.
    pub fn rename(&mut self, from: &AgentName, to: AgentRecord) {
        let before = self.get(from).ok().flatten();
        self.moves.push(RecordChange { before, after: Some(to.clone()) });
        let former = self.registry.entries.remove(from.as_str());
        self.changed |= former.is_some();
        let entry = unknown_fields::entry(&to, former.as_deref());
        self.set(to.name, entry);
    }

    /// Returns the pending events, oldest first.
    pub fn pending_events(&self) -> Vec<LedgerEvent> {
        pending_events(&self.registry)
    }

    /// Replaces the pending events. Only the newest are kept if there are too many.
    pub fn replace_pending_events(&mut self, happened: &[LedgerEvent]) {
        if self.registry.extra_field(PENDING_EVENTS_KEY).is_none() && happened.is_empty() {
            return;
        }
        let newest = &happened[happened.len().saturating_sub(MAX_PENDING_EVENTS)..];
        let text = if newest.is_empty() { None } else { serde_json::value::to_raw_value(newest).ok() };
        self.registry.set_extra_field(PENDING_EVENTS_KEY, text);
        self.changed = true;
    }

    /// Returns whether the name is in use, even by an invalid entry.
    pub fn contains(&self, name: &AgentName) -> bool {
        self.registry.entries.contains_key(name.as_str())
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.registry.entries.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.registry.entries.is_empty()
    }

    /// Returns all names in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.registry.entries.keys().map(String::as_str)
    }

    /// Returns all valid records, ordered by name. [`Store::read`](crate::store::Store::read) reports the invalid ones.
    pub fn all(&self) -> Result<Vec<AgentRecord>, StoreError> {
        Ok(parse_records(&self.registry).0)
    }

    fn set(&mut self, name: AgentName, entry: Box<RawValue>) {
        let name = String::from(name);
        if self.registry.entries.get(&name).is_none_or(|former| former.get() != entry.get()) {
            self.registry.entries.insert(name, entry);
            self.changed = true;
        }
    }
}

/// Returns the pending events of a registry and skips those that are unknown to this version.
pub(in crate::store) fn pending_events(registry: &Registry) -> Vec<LedgerEvent> {
    let lines: Option<Vec<&RawValue>> =
        registry.extra_field(PENDING_EVENTS_KEY).and_then(|text| serde_json::from_str(text.get()).ok());
    lines.unwrap_or_default().into_iter().filter_map(|line| serde_json::from_str(line.get()).ok()).collect()
}

/// Parses one entry. The error contains its name.
pub(in crate::store) fn parse_record(key: &str, entry: &RawValue) -> Result<AgentRecord, StoreError> {
    schema::record(key, entry).map_err(|source| StoreError::Entry { name: key.to_owned(), source })
}

/// Returns the valid records, and a notice for each invalid one.
pub(in crate::store) fn parse_records(registry: &Registry) -> (Vec<AgentRecord>, Vec<StoreNotice>) {
    let mut records = Vec::with_capacity(registry.entries.len());
    let mut notices = Vec::new();
    for (key, entry) in &registry.entries {
        match parse_record(key, entry) {
            Ok(record) => records.push(record),
            Err(error) => {
                notices.push(StoreNotice { what: format!("{error}; it is left as it is"), kept: None })
            }
        }
    }
    (records, notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, EventKind};

    #[test]
    fn pending_events_are_kept_until_stored() {
        let mut edit = Edit::new(Registry::default());
        edit.replace_pending_events(&[]);
        assert!(!edit.changed, "nothing owed is nothing to write");
        let owed: Vec<_> = (0..MAX_PENDING_EVENTS as u64 + 3)
            .map(|seq| LedgerEvent {
                at: jiff::Timestamp::UNIX_EPOCH,
                agent: AgentId(uuid::Uuid::nil()),
                name: "a".parse().unwrap(),
                what: EventKind::Status { seq, from: None, to: Status::Idle, waiting_for: None, exit: None },
                why: "two\nlines \"and\" more".into(),
            })
            .collect();
        edit.replace_pending_events(&owed);
        assert_eq!(edit.pending_events(), owed[3..], "the newest, to the letter");
        let schema::Parsed::Current(read) = schema::parse(edit.registry.to_text().as_bytes()) else {
            panic!("a registry")
        };
        let mut edit = Edit::new(read);
        assert_eq!(edit.pending_events(), owed[3..]);
        edit.replace_pending_events(&[]);
        assert_eq!(edit.changed().unwrap().to_text(), Registry::default().to_text());
    }

    #[test]
    fn an_unknown_entry_hides_no_other() {
        let text = br#"{"format":1,"sessions":{},"owed":[{"event":"flown"},{"at":"2026-01-01T00:00:00Z","agent":"8c7a1b1e-0b0a-4c61-9f5e-4f6f6a0a6b01","name":"a","event":"removed","why":"x"}]}"#;
        let schema::Parsed::Current(read) = schema::parse(text) else { panic!("a registry") };
        assert_eq!(pending_events(&read).len(), 1);
    }
}
