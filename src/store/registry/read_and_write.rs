//! Reads the registry without a lock, and changes it under its lock. A damaged registry is repaired first, and an old one
//! is migrated.

use std::fs;
use std::sync::Arc;

use jiff::Timestamp;

use super::cache::CachedRead;
use super::edit::Edit;
use super::recover::Damage;
use super::schema::{FORMAT, Members, Parsed, Registry};
use crate::model::{AgentName, AgentRecord};
use crate::store::locks::file_lock::PlainLock;
use crate::store::replace_file::{self, BackupPolicy};
use crate::store::{Store, StoreError};

/// The result of reading the registry once.
enum RegistryReading {
    Sound(Arc<Registry>),
    Old(Members),
    Broken(Damage),
}

impl Store {
    /// Returns all records that this version can read, ordered by name.
    pub fn read(&self, now: Timestamp) -> Result<Vec<AgentRecord>, StoreError> {
        let registry = self.load(now)?;
        let (records, notices) = crate::store::registry::edit::parse_records(&registry);
        notices.into_iter().for_each(|notice| self.notice(notice));
        Ok(records)
    }

    /// Returns whether there are pending events, which the ledger has not stored yet.
    pub fn has_pending_events(&self, now: Timestamp) -> Result<bool, StoreError> {
        Ok(!crate::store::registry::edit::pending_events(&*self.load(now)?).is_empty())
    }

    /// Returns one record without parsing the others.
    pub fn find(&self, name: &AgentName, now: Timestamp) -> Result<Option<AgentRecord>, StoreError> {
        if let Some(record) = crate::store::registry::fast_lookup::line(&self.text()?, name) {
            return Ok(Some(record));
        }
        let registry = self.load(now)?;
        let entry = registry.entries.get(name.as_str());
        entry.map(|entry| crate::store::registry::edit::parse_record(name.as_str(), entry)).transpose()
    }

    /// Changes the registry while its lock is held. It is written only if something changed. Must not be called from
    /// inside `change`.
    pub fn update<T>(&self, now: Timestamp, change: impl FnOnce(&mut Edit) -> T) -> Result<T, StoreError> {
        let _lock = self.lock()?;
        let registry = self.load_locked(now)?;
        self.cache.forget();
        let mut edit = Edit::new(Arc::unwrap_or_clone(registry));
        let answer = change(&mut edit);
        if let Some(registry) = edit.changed() {
            replace_file::replace_registry(
                &self.home,
                registry.to_text().as_bytes(),
                BackupPolicy::BecomesBackup,
            )?;
        }
        Ok(answer)
    }

    /// Returns the number of records with a live status, without parsing the rest of the records. Returns `None` if the
    /// registry has to be repaired or migrated first.
    pub fn count_live(&self) -> Result<Option<usize>, StoreError> {
        Ok(crate::store::registry::fast_lookup::count_live(&self.text()?))
    }

    /// Returns whether at most `most` records have a live status. If there are no more than `most` records, their
    /// statuses are not read.
    pub fn live_at_most(&self, most: usize) -> Result<Option<bool>, StoreError> {
        match self.cache.registry(&self.home.registry())? {
            CachedRead::Sound(registry) if registry.entries.len() <= most => Ok(Some(true)),
            _ => Ok(self.count_live()?.map(|live| live <= most)),
        }
    }

    /// Returns whether any of these agents may have children. `false` is certain, and needs no parsing of records.
    pub fn may_be_parents(&self, names: &[AgentName]) -> Result<bool, StoreError> {
        Ok(crate::store::registry::fast_lookup::may_be_parents(&self.text()?, names))
    }

    /// Returns the number of damaged registries that are kept.
    pub fn damaged(&self) -> usize {
        let entries = fs::read_dir(self.home.path()).into_iter().flatten().flatten();
        let is_bad = |name: &str| name.starts_with("agent-sessions.json") && name.contains(".bad-");
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_bad)).count()
    }

    pub(in crate::store) fn lock(&self) -> Result<PlainLock, StoreError> {
        PlainLock::acquire(&self.home.lock_file(), self.queue)
    }

    /// Returns the registry. Takes the lock only if the registry has to be repaired or migrated first.
    pub(in crate::store) fn load(&self, now: Timestamp) -> Result<Arc<Registry>, StoreError> {
        match self.reading()? {
            RegistryReading::Sound(registry) => Ok(registry),
            RegistryReading::Old(_) => {
                let _lock = self.lock()?;
                self.load_locked(now)
            }
            RegistryReading::Broken(damage) => {
                let _lock = self.lock().map_err(|source| self.cannot_repair(&damage, source))?;
                self.load_locked(now)
            }
        }
    }

    /// Returns the registry and repairs or migrates it if necessary. The previous holder of the lock may have done that
    /// already.
    pub(in crate::store) fn load_locked(&self, now: Timestamp) -> Result<Arc<Registry>, StoreError> {
        let (registry, notice) = match self.reading()? {
            RegistryReading::Sound(registry) => return Ok(registry),
            RegistryReading::Old(old) => crate::store::registry::recover::migrate(&self.home, &old, now)?,
            RegistryReading::Broken(damage) => {
                crate::store::registry::recover::rebuild(&self.home, &damage, now)
                    .map_err(|source| self.cannot_repair(&damage, source))?
            }
        };
        self.notice(notice);
        Ok(Arc::new(registry))
    }

    fn reading(&self) -> Result<RegistryReading, StoreError> {
        let path = self.home.registry();
        let parsed = match self.cache.registry(&path)? {
            CachedRead::Sound(registry) => return Ok(RegistryReading::Sound(registry)),
            CachedRead::Nothing if crate::store::registry::recover::has_remains(&self.home) => {
                return Ok(RegistryReading::Broken(Damage::Missing));
            }
            CachedRead::Nothing => return Ok(RegistryReading::Sound(Arc::default())),
            CachedRead::Other(parsed) => parsed,
        };
        match parsed {
            Parsed::Current(registry) => Ok(RegistryReading::Sound(Arc::new(registry))),
            Parsed::Old(old) => Ok(RegistryReading::Old(old)),
            Parsed::Damaged(why) => Ok(RegistryReading::Broken(Damage::Unreadable(why))),
            Parsed::Newer(found) => Err(StoreError::NewerFormat { path, found, known: FORMAT }),
        }
    }

    /// Returns the text of the registry, which is empty if there is none.
    pub(in crate::store) fn text(&self) -> Result<Arc<Vec<u8>>, StoreError> {
        Ok(self.cache.text(&self.home.registry())?.unwrap_or_default())
    }

    /// Adds the description of the damage to the error of a failed repair, unless the error has a separate cause.
    pub(in crate::store) fn cannot_repair(&self, damage: &Damage, source: StoreError) -> StoreError {
        match source {
            StoreError::NewerFormat { .. } | StoreError::LockTimeout { .. } => source,
            other => StoreError::CannotRepair {
                path: self.home.registry(),
                damage: damage.to_string(),
                source: Box::new(other),
            },
        }
    }
}
