//! Rebuilds a registry from the remaining data: its backup, and the instance directories of the agents.
//!
//! The caller holds the registry's lock. The damaged file is kept under another name before anything replaces it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use crate::failpoint;
use crate::model::{AgentName, AgentRecord, Status, StatusNote, Workspace};
use crate::store::home::StateDir;
use crate::store::registry::migrate::free_name;
use crate::store::registry::schema::{self, FORMAT, Members, Parsed, Registry};
use crate::store::replace_file::{self, BackupPolicy};
use crate::store::{
    StoreError, StoreNotice,
    registry::{migrate, unknown_fields},
};

/// Name of the file in `run/` that marks the records in the registry as possibly older than the ledger.
pub const LEDGER_STALE: &str = "registry-behind";
/// Name of the file in `run/` with a repair notice that no user has seen yet.
pub const REPAIR_UNREPORTED: &str = "registry-untold";

/// The damage of a registry.
#[derive(Debug)]
pub(in crate::store) enum Damage {
    /// The registry does not exist, although there was one.
    Missing,
    /// The content is not a registry, for this reason.
    Unreadable(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::Missing => "it is missing",
            Damage::Unreadable(why) => why,
        })
    }
}

/// Returns whether there is data from which a missing registry can be rebuilt.
pub(in crate::store) fn has_remains(home: &StateDir) -> bool {
    fs::symlink_metadata(home.backup()).is_ok() || specs(home).next().is_some()
}

/// Rebuilds the registry and writes it.
pub(in crate::store) fn rebuild(
    home: &StateDir,
    damage: &Damage,
    now: Timestamp,
) -> Result<(Registry, StoreNotice), StoreError> {
    let stamp = now.strftime("bad-%Y%m%dT%H%M%SZ").to_string();
    let (mut registry, source) = from_backup(home, &stamp)?;
    let kept = match damage {
        Damage::Missing => None,
        Damage::Unreadable(_) => Some(replace_file::keep_aside(&home.registry(), &stamp)?),
    };
    failpoint::reached("store.aside");
    let restored = registry.entries.len();
    let added = add_from_instances(home, &mut registry, now);
    let what = format!(
        "the registry was unusable ({damage}); agents restored from {source}: {restored}, rebuilt from their \
         directories: {added}"
    );
    let notice = StoreNotice { what, kept };
    // One file is for processes that can complete the repair, the other for users who do not see the output of this
    // process.
    for file in [LEDGER_STALE, REPAIR_UNREPORTED] {
        let _ = replace_file::replace(&home.run().join(file), notice.to_string().as_bytes());
    }
    replace_file::replace_registry(home, registry.to_text().as_bytes(), BackupPolicy::IsKeptAside)?;
    Ok((registry, notice))
}

/// Converts a registry of the older public format, and keeps the original under another name.
pub(in crate::store) fn migrate(
    home: &StateDir,
    old: &Members,
    now: Timestamp,
) -> Result<(Registry, StoreNotice), StoreError> {
    let kept = replace_file::keep_aside(&home.registry(), "v0")?;
    failpoint::reached("store.aside");
    let migrate::Migrated { records, unreadable } = migrate::migrate(old, now);
    let mut what =
        format!("the registry of an older symposium was migrated; agents in it: {}", records.len());
    if !unreadable.is_empty() {
        what.push_str(&format!("; not readable in it: {}", unreadable.join(", ")));
    }
    let mut registry = Registry::default();
    for record in records {
        registry.entries.insert(record.name.to_string(), unknown_fields::entry(&record, None));
    }
    replace_file::replace_registry(home, registry.to_text().as_bytes(), BackupPolicy::IsKeptAside)?;
    Ok((registry, StoreNotice { what, kept: Some(kept) }))
}

/// Returns the backup, or an empty registry if the backup is not usable. A damaged backup is kept under another name,
/// too.
fn from_backup(home: &StateDir, stamp: &str) -> Result<(Registry, &'static str), StoreError> {
    let path = home.backup();
    let Some(bytes) = replace_file::read(&path)? else { return Ok((Registry::default(), "no backup")) };
    match schema::parse(&bytes) {
        Parsed::Current(registry) => Ok((registry, "its backup")),
        Parsed::Newer(found) => Err(StoreError::NewerFormat { path, found, known: FORMAT }),
        Parsed::Old(_) | Parsed::Damaged(_) => {
            replace_file::keep_aside(&path, stamp)?;
            Ok((Registry::default(), "a damaged backup"))
        }
    }
}

/// Adds the agents that are known only from their instance directories, and returns their number.
fn add_from_instances(home: &StateDir, registry: &mut Registry, now: Timestamp) -> usize {
    let mut ids: BTreeSet<_> = registry
        .entries
        .iter()
        .filter_map(|(key, entry)| schema::record(key, entry).ok())
        .map(|r| r.id)
        .collect();
    let mut found: Vec<_> = specs(home).filter_map(|(name, path)| read_initial_record(name, &path)).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let mut added = 0;
    for mut record in found {
        if !ids.insert(record.id) {
            continue;
        }
        let name = free_name(record.name.clone(), |name| registry.entries.contains_key(name.as_str()));
        // The directory still has the name under which it was found.
        record.renamed_from = (name != record.name).then(|| record.name.clone());
        record.name = name;
        record.status = StatusNote::new(Status::Lost, now, "rebuilt from its instance directory");
        registry.entries.insert(record.name.to_string(), unknown_fields::entry(&record, None));
        added += 1;
    }
    added
}

/// Returns each directory in `instances/` that has a `spec.json`. Symbolic links are skipped, because symposium creates
/// none there.
fn specs(home: &StateDir) -> impl Iterator<Item = (AgentName, PathBuf)> {
    let entries = fs::read_dir(home.instances()).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).filter_map(|entry| {
        let name = entry.file_name().to_str()?.parse().ok()?;
        let path = entry.path().join("spec.json");
        fs::symlink_metadata(&path).ok()?;
        Some((name, path))
    })
}

/// Returns the record that an agent was created with, under the name of its directory, which is renamed with the agent.
fn read_initial_record(name: AgentName, spec: &Path) -> Option<AgentRecord> {
    #[derive(Deserialize)]
    struct ManifestRecord {
        record: AgentRecord,
    }
    let bytes = replace_file::read(spec).ok()??;
    let ManifestRecord { mut record } = serde_json::from_slice(&bytes).ok()?;
    if record.workspace == Workspace::Scratch {
        record.working_directory = spec.with_file_name("workspace").to_string_lossy().into_owned();
        record.project = Some(record.working_directory.clone());
    }
    Some(AgentRecord { name, ..record })
}
