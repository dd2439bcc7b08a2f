//! The registry while it is being changed, in memory and under its lock. Writes nothing itself.

use serde_json::value::RawValue;

use crate::model::{AgentName, AgentRecord, Happening, Status};
use crate::store::registry::schema::{self, Registry};
use crate::store::{Notice, StoreError, registry::unknown_fields};

/// The word under which a registry keeps what the ledger could not take.
const OWED: &str = "owed";
/// How much of that is kept: a ledger that cannot be written for long must not make every change slow.
const MOST_OWED: usize = 500;

/// What the closure of [`Store::update`](crate::store::Store::update) works on.
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
    pub(in crate::store) fn new(registry: Registry) -> Edit {
        Edit { registry, changed: false, moves: Vec::new() }
    }

    /// The registry, when it is no longer what it was.
    pub(in crate::store) fn changed(self) -> Option<Registry> {
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
            if record.status.status != Status::Starting {
                record.before_start = None;
            }
            self.moves.push(Move { before: former, after: Some(record.clone()) });
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
        let entry = unknown_fields::entry(&to, former.as_deref());
        self.set(to.name, entry);
    }

    /// What happened and is not in the ledger yet, the oldest first.
    pub fn owed(&self) -> Vec<Happening> {
        owed(&self.registry)
    }

    /// Keeps what the ledger could not take, in place of what was kept so far.
    pub fn owe(&mut self, happened: &[Happening]) {
        if self.registry.beside(OWED).is_none() && happened.is_empty() {
            return;
        }
        let newest = &happened[happened.len().saturating_sub(MOST_OWED)..];
        let text = if newest.is_empty() { None } else { serde_json::value::to_raw_value(newest).ok() };
        self.registry.set_beside(OWED, text);
        self.changed = true;
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

    /// All records that we understand, sorted by name; the others are told by [`Store::read`](crate::store::Store::read).
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

/// What a registry keeps for the ledger; a line that we do not understand is passed over.
pub(in crate::store) fn owed(registry: &Registry) -> Vec<Happening> {
    let lines: Option<Vec<&RawValue>> =
        registry.beside(OWED).and_then(|text| serde_json::from_str(text.get()).ok());
    lines.unwrap_or_default().into_iter().filter_map(|line| serde_json::from_str(line.get()).ok()).collect()
}

/// One entry as a record, or the error that names it.
pub(in crate::store) fn understood(key: &str, entry: &RawValue) -> Result<AgentRecord, StoreError> {
    schema::record(key, entry).map_err(|source| StoreError::Entry { name: key.to_owned(), source })
}

/// The records that we understand, and a notice for each that we do not.
pub(in crate::store) fn understood_ones(registry: &Registry) -> (Vec<AgentRecord>, Vec<Notice>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, What};

    #[test]
    fn what_is_owed_is_kept_until_it_is_paid() {
        let mut edit = Edit::new(Registry::default());
        edit.owe(&[]);
        assert!(!edit.changed, "nothing owed is nothing to write");
        let owed: Vec<_> = (0..MOST_OWED as u64 + 3)
            .map(|seq| Happening {
                at: jiff::Timestamp::UNIX_EPOCH,
                agent: AgentId(uuid::Uuid::nil()),
                name: "a".parse().unwrap(),
                what: What::Status { seq, from: None, to: Status::Idle, waiting_for: None, exit: None },
                why: "two\nlines \"and\" more".into(),
            })
            .collect();
        edit.owe(&owed);
        assert_eq!(edit.owed(), owed[3..], "the newest, to the letter");
        let schema::Parsed::Current(read) = schema::parse(edit.registry.to_text().as_bytes()) else {
            panic!("a registry")
        };
        let mut edit = Edit::new(read);
        assert_eq!(edit.owed(), owed[3..]);
        edit.owe(&[]);
        assert_eq!(edit.changed().unwrap().to_text(), Registry::default().to_text());
    }

    #[test]
    fn a_line_of_a_newer_writer_hides_no_other() {
        let text = br#"{"format":1,"sessions":{},"owed":[{"event":"flown"},{"at":"2026-01-01T00:00:00Z","agent":"8c7a1b1e-0b0a-4c61-9f5e-4f6f6a0a6b01","name":"a","event":"removed","why":"x"}]}"#;
        let schema::Parsed::Current(read) = schema::parse(text) else { panic!("a registry") };
        assert_eq!(owed(&read).len(), 1);
    }
}
