//! Shares: permissions for another user of the machine to attach to an agent.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A share of one agent with one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Name of the user.
    pub with: String,
    /// Numeric id of the user, as the kernel reports it.
    pub uid: u32,
    /// Whether the user may only watch.
    pub read_only: bool,
    /// Time at which the share was created.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Time at which the share expires; `None` if it lasts until it is revoked.
    #[serde(default, with = "crate::base::json_time::option")]
    pub until: Option<Timestamp>,
}

/// An agent that another user shares with this user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedAgent {
    /// Name of the user that owns the agent.
    pub owner: String,
    /// Name of the agent.
    pub name: String,
    /// Whether this user may only watch.
    pub read_only: bool,
    /// Time at which the share expires, if it does.
    #[serde(with = "crate::base::json_time::option")]
    pub until: Option<Timestamp>,
    /// Name of the agent's status.
    pub status: String,
}
