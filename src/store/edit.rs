//! The registry while it is being changed, in memory and under its lock. Writes nothing itself.

use serde_json::value::RawValue;

use super::schema::{self, Registry};
use super::{Notice, StoreError, merge};
use crate::model::{AgentName, AgentRecord};

/// What the closure of [`Store::update`](super::Store::update) works on.
#[derive(Debug)]
pub struct Edit {
    registry: Registry,
    changed: bool,
    moves: Vec<Move>,
}

/// A record whose status changed, that is new, has another name or was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// What it was.
    pub before: Option<AgentRecord>,
    /// What it is.
    pub after: Option<AgentRecord>,
}

impl Edit {
    pub(super) fn new(registry: Registry) -> Edit {
        Edit { registry, changed: false, moves: Vec::new() }
    }

    /// The registry, when it is no longer what it was.
    pub(super) fn changed(self) -> Option<Registry> {
        self.changed.then_some(self.registry)
    }

    /// The record of this name; an error when there is one that we do not understand.
    pub fn get(&self, name: &AgentName) -> Result<Option<AgentRecord>, StoreError> {
        self.registry.entries.get(name.as_str()).map(|entry| understood(name.as_str(), entry)).transpose()
    }

    /// Writes a record under its name and numbers a change of its status; unknown fields of the same agent's entry
    /// stay. Returns what was written.
    pub fn put(&mut self, mut record: AgentRecord) -> AgentRecord {
        let former = self.get(&record.name).ok().flatten().filter(|former| former.id == record.id);
        if former.as_ref().is_none_or(|former| !former.status.same_as(&record.status)) {
            let counted = former.as_ref().map_or(0, |former| former.changes);
            record.changes = counted.max(record.changes) + 1;
            self.moves.push(Move { before: former, after: Some(record.clone()) });
        } else if let Some(former) = former {
            record.changes = former.changes;
        }
        let entry =
            merge::entry(&record, self.registry.entries.get(record.name.as_str()).map(|entry| &**entry));
        self.set(record.name.clone(), entry);
        record
    }

    /// Removes an entry, and says whether there was one.
    pub fn remove(&mut self, name: &AgentName) -> bool {
        let before = self.get(name).ok().flatten();
        let was_there = self.registry.entries.remove(name.as_str()).is_some();
        self.moves.extend(before.map(|before| Move { before: Some(before), after: None }));
        self.changed |= was_there;
        was_there
    }

    /// What has moved so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Moves an entry to the name of its new record, with its unknown fields; what had that name is replaced.
    pub fn rename(&mut self, from: &AgentName, to: AgentRecord) {
        let before = self.get(from).ok().flatten();
        self.moves.push(Move { before, after: Some(to.clone()) });
        let former = self.registry.entries.remove(from.as_str());
        self.changed |= former.is_some();
        let entry = merge::entry(&to, former.as_deref());
        self.set(to.name, entry);
    }

    /// Whether the name is taken, also by an entry that we do not understand.
    pub fn contains(&self, name: &AgentName) -> bool {
        self.registry.entries.contains_key(name.as_str())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.registry.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.registry.entries.is_empty()
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.registry.entries.keys().map(String::as_str)
    }

    /// All records that we understand, sorted by name; the others are told by [`Store::read`](super::Store::read).
    pub fn all(&self) -> Result<Vec<AgentRecord>, StoreError> {
        Ok(understood_ones(&self.registry).0)
    }

    fn set(&mut self, name: AgentName, entry: Box<RawValue>) {
        let name = String::from(name);
        if self.registry.entries.get(&name).is_none_or(|former| former.get() != entry.get()) {
            self.registry.entries.insert(name, entry);
            self.changed = true;
        }
    }
}

/// One entry as a record, or the error that names it.
pub(super) fn understood(key: &str, entry: &RawValue) -> Result<AgentRecord, StoreError> {
    schema::record(key, entry).map_err(|source| StoreError::Entry { name: key.to_owned(), source })
}

/// The records that we understand, and a notice for each that we do not.
pub(super) fn understood_ones(registry: &Registry) -> (Vec<AgentRecord>, Vec<Notice>) {
    let mut records = Vec::with_capacity(registry.entries.len());
    let mut notices = Vec::new();
    for (key, entry) in &registry.entries {
        match understood(key, entry) {
            Ok(record) => records.push(record),
            Err(error) => notices.push(Notice { what: format!("{error}; it is left as it is"), kept: None }),
        }
    }
    (records, notices)
}
