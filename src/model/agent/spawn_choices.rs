//! The choices of the last spawn in a project, which the form of the dashboard begins with.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::Workspace;

/// The choices of one spawn. The task and the name are not among them, because they differ each time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpawnChoices {
    /// Spec or kind; `None` for the default spec.
    pub spec: Option<String>,
    /// Kind of workspace; `None` means as the spec says.
    pub workspace: Option<Workspace>,
    /// Whether the agent got a taskspace.
    pub taskspace: bool,
    /// Parameters of the spec that were given.
    pub params: BTreeMap<String, String>,
    /// Time of the spawn.
    #[serde(with = "crate::base::json_time")]
    pub chosen_at: Timestamp,
}
