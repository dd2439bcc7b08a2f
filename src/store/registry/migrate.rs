//! Converts the registry of the older public Symposium, an object keyed by UUID, to current records. Those agents run
//! in the user's own tmux server, which symposium does not access: they are listed, but not managed. This module
//! touches no files.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::{AgentId, AgentName, AgentRecord, Status, StatusNote};
use crate::store::registry::schema::Members;

/// The result of migrating an old registry.
#[derive(Debug, Default)]
pub(in crate::store) struct Migrated {
    /// A record for each readable entry.
    pub(in crate::store) records: Vec<AgentRecord>,
    /// The keys of the unreadable entries.
    pub(in crate::store) unreadable: Vec<String>,
}

/// Converts old entries to records with unique names.
pub(in crate::store) fn migrate(old: &Members, now: Timestamp) -> Migrated {
    let mut migrated = Migrated::default();
    let mut taken = BTreeSet::new();
    for (key, entry) in old {
        match record(key, entry, now) {
            Some(mut record) => {
                record.name = free_name(record.name, |name| taken.contains(name));
                taken.insert(record.name.clone());
                migrated.records.push(record);
            }
            None => migrated.unreadable.push(key.clone()),
        }
    }
    migrated
}

/// Returns this name, or its first numbered variant that is not in use.
pub(in crate::store) fn free_name(name: AgentName, is_taken: impl Fn(&AgentName) -> bool) -> AgentName {
    if !is_taken(&name) {
        return name;
    }
    (2..).map(|n| name.numbered(n)).find(|name| !is_taken(name)).expect("there are more numbers than agents")
}

#[derive(Deserialize)]
struct OldEntry {
    uuid: Option<AgentId>,
    tmux_session_name: String,
    agent_command: Vec<String>,
    working_directory: String,
    status: String,
    created_at: OldTime,
    last_attached: Option<OldTime>,
}

#[derive(Deserialize)]
struct OldTime {
    secs_since_epoch: i64,
    nanos_since_epoch: i32,
}

impl OldTime {
    fn timestamp(&self) -> Option<Timestamp> {
        Timestamp::new(self.secs_since_epoch, self.nanos_since_epoch).ok()
    }
}

fn record(key: &str, entry: &RawValue, now: Timestamp) -> Option<AgentRecord> {
    let old: OldEntry = serde_json::from_str(entry.get()).ok()?;
    let id = old.uuid.or_else(|| key.parse().ok())?;
    Some(AgentRecord {
        id,
        status: status(&old, now),
        command: old.agent_command,
        last_attached: match old.last_attached {
            Some(time) => Some(time.timestamp()?),
            None => None,
        },
        ..AgentRecord::new(
            name(&old.tmux_session_name, id),
            "command",
            &old.working_directory,
            old.created_at.timestamp()?,
        )
    })
}

fn name(session: &str, id: AgentId) -> AgentName {
    let from_id = || format!("migrated-{}", &id.0.simple().to_string()[..8]);
    session.parse().unwrap_or_else(|_| from_id().parse().expect("letters, digits and a dash"))
}

fn status(old: &OldEntry, now: Timestamp) -> StatusNote {
    let noted = "recorded by an older version of symposium";
    match old.status.as_str() {
        "Stopped" => StatusNote::new(Status::Stopped, now, noted),
        "Crashed" => StatusNote::new(Status::Crashed, now, noted),
        _ => {
            let session = shlex::try_quote(&old.tmux_session_name).unwrap_or_default();
            let reason = format!(
                "started by an older symposium in your own tmux: `tmux attach -t {session}` still reaches it \
                 while it lives"
            );
            StatusNote::new(Status::Lost, now, reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::registry::schema::{Parsed, parse};

    const FIXTURE: &str = include_str!("../../../tests/compat/registry-v0.json");

    fn migrated(text: &str) -> Migrated {
        match parse(text.as_bytes()) {
            Parsed::Old(old) => migrate(&old, "2026-03-01T12:00:00Z".parse().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_older_public_format_becomes_records() {
        let found = migrated(FIXTURE);
        let table: Vec<_> = found.records.iter().map(|r| (r.name.as_str(), r.status.status)).collect();
        assert_eq!(
            table,
            [
                ("symposium-agent-1f0c5c1e-6a2b-4d0e-9c3a-0a1b2c3d4e5f", Status::Lost),
                ("review", Status::Stopped),
                ("migrated-3a4b5c6d", Status::Crashed),
                ("review-2", Status::Lost),
            ]
        );
        assert_eq!(found.unreadable, ["not-an-agent"]);
        let first = &found.records[0];
        assert_eq!(first.id.to_string(), "1f0c5c1e-6a2b-4d0e-9c3a-0a1b2c3d4e5f");
        assert_eq!(first.command, ["q", "chat", "--resume"]);
        assert_eq!(first.working_directory, "/home/user/a project");
        assert_eq!(first.created_at.to_string(), "2025-09-12T08:30:00.123456789Z");
        assert_eq!(first.last_attached.unwrap().to_string(), "2025-09-12T09:00:00Z");
        assert!(first.status.reason.contains("`tmux attach -t symposium-agent-1f0c5c1e"));
        assert_eq!((first.spec.as_str(), first.kind.as_str()), ("default", "command"));
    }

    #[test]
    fn an_empty_old_registry_has_no_agents() {
        let found = migrated("{}");
        assert!(found.records.is_empty() && found.unreadable.is_empty());
    }
}
