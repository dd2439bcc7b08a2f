//! That an agent is shared with another user of the machine.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One agent, one user, as it was granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The user's name.
    pub with: String,
    /// The user, for the kernel.
    pub uid: u32,
    /// Whether they may only watch.
    pub read_only: bool,
    /// Since when.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Until when; none: until it is taken back.
    #[serde(default, with = "crate::base::json_time::option")]
    pub until: Option<Timestamp>,
}

/// What others share with us, one agent a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedAgent {
    /// Whose it is.
    pub owner: String,
    /// The agent.
    pub name: String,
    /// Whether we may only watch.
    pub read_only: bool,
    /// Until when.
    #[serde(with = "crate::base::json_time::option")]
    pub until: Option<Timestamp>,
    /// What it does.
    pub status: String,
}
