//! The copy of a record that its tmux session carries, with the state directory that it belongs to. Two environments
//! may share one server, and neither may adopt the agents of the other. Does not query tmux.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::AgentRecord;

#[derive(Serialize)]
struct SessionCopy<'a> {
    home: std::borrow::Cow<'a, str>,
    #[serde(flatten)]
    record: &'a AgentRecord,
}

#[derive(Deserialize)]
struct OwnerRef {
    /// Sessions of older versions lack this field.
    home: Option<String>,
}

/// Returns the JSON that a session of this state directory carries.
pub(in crate::manager) fn session_record_json(record: &AgentRecord, home: &Path) -> String {
    serde_json::to_string(&SessionCopy { home: home.to_string_lossy(), record }).unwrap_or_default()
}

/// Returns the record, unless it belongs to another state directory. A state directory that no longer exists may have
/// been moved to `home`.
pub(in crate::manager) fn of_home(json: &str, home: &Path) -> Option<AgentRecord> {
    let of: OwnerRef = serde_json::from_str(json).ok()?;
    let is_ours = of.home.is_none_or(|other| match (Path::new(&other).canonicalize(), home.canonicalize()) {
        (Ok(other), Ok(home)) => other == home,
        _ => true,
    });
    is_ours.then(|| serde_json::from_str(json).ok()).flatten()
}
