//! Small JSON files of named entries in the state directory: `{"format": 1, KEY: {NAME: {…}}}`.
//!
//! Written under a lock and replaced as a whole. A file of a newer format is refused and left untouched, entries keep
//! fields that this version does not know, and a file that cannot be parsed is never overwritten.

use std::io;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::locks::file_lock::PlainLock;
use super::{Store, StoreError, replace_file};

/// Format number that this version writes.
const FORMAT: u64 = 1;

/// Reads and changes JSON files of named entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct MapFiles<'a>(pub &'a Store);

impl MapFiles<'_> {
    /// Reads the entries under `key` of a file; a missing file has none.
    pub(super) fn read(&self, file: &str, key: &str) -> Result<Map<String, Value>, StoreError> {
        let path = self.path(file);
        let Some(bytes) = replace_file::read(&path)? else { return Ok(Map::new()) };
        let damaged = |why: String| StoreError::Read {
            path: path.clone(),
            source: io::Error::new(io::ErrorKind::InvalidData, why),
        };
        let whole: Value = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        match whole.get("format").and_then(Value::as_u64) {
            Some(found) if found > FORMAT => {
                return Err(StoreError::NewerFormat { path, found, known: FORMAT });
            }
            Some(_) => {}
            None => return Err(damaged("it has no `format`".to_owned())),
        }
        match whole.get(key) {
            Some(Value::Object(entries)) => Ok(entries.clone()),
            _ => Err(damaged(format!("it has no `{key}`"))),
        }
    }

    /// Changes the entries under `key` of a file while its lock is held. Writes nothing if nothing changed.
    pub(super) fn update<T>(
        &self,
        file: &str,
        key: &str,
        change: impl FnOnce(&mut Map<String, Value>) -> T,
    ) -> Result<T, StoreError> {
        let lock = self.path(&format!("{file}.lock"));
        let _lock = PlainLock::acquire(&lock, self.0.queue)?;
        let before = self.read(file, key)?;
        let mut entries = before.clone();
        let answer = change(&mut entries);
        if entries != before {
            let text = format!("{:#}\n", json!({ "format": FORMAT, key: entries }));
            replace_file::replace_durably(&self.path(file), text.as_bytes())?;
        }
        Ok(answer)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.home.path().join(file)
    }
}

/// Stores the fields of `known` in the entry with this name, and keeps fields that only a newer version knows.
pub(super) fn put_entry(entries: &mut Map<String, Value>, name: &str, known: Map<String, Value>) {
    match entries.entry(name).or_insert_with(|| json!({})) {
        Value::Object(there) => there.extend(known),
        other => *other = Value::Object(known),
    }
}
