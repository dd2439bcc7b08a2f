//! The copy of its record that a tmux session carries, with the home it is of: two homes may share one server, and
//! neither takes the other's agents for its own. Asks tmux nothing.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::AgentRecord;

#[derive(Serialize)]
struct Carried<'a> {
    home: std::borrow::Cow<'a, str>,
    #[serde(flatten)]
    record: &'a AgentRecord,
}

#[derive(Deserialize)]
struct Of {
    /// Sessions of older versions do not say.
    home: Option<String>,
}

/// What a session of this home is given.
pub(in crate::manager) fn carried(record: &AgentRecord, home: &Path) -> String {
    serde_json::to_string(&Carried { home: home.to_string_lossy(), record }).unwrap_or_default()
}

/// The record in it, unless it is of another home. One that is no longer there may have been moved to this place.
pub(in crate::manager) fn of_home(json: &str, home: &Path) -> Option<AgentRecord> {
    let of: Of = serde_json::from_str(json).ok()?;
    let is_ours = of.home.is_none_or(|other| match (Path::new(&other).canonicalize(), home.canonicalize()) {
        (Ok(other), Ok(home)) => other == home,
        _ => true,
    });
    is_ours.then(|| serde_json::from_str(json).ok()).flatten()
}
