//! Notices: notifications to the user.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, NotifyOn};

/// One notice. The field names are a public contract: the user's command receives it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// Summary on one line.
    pub title: String,
    /// Question or last reply of the agent; may be empty.
    pub body: String,
    /// Urgency of the notice.
    pub urgency: Urgency,
    /// Agent that the notice is about, or the first of several; `null` if the notice is not about an agent.
    pub agent: Option<AgentName>,
    /// All agents that the notice is about.
    pub agents: Vec<AgentName>,
    /// Event that caused the notice.
    pub on: NotifyOn,
    /// Time of the latest event in the notice.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
}

/// Urgency of a notice. The names and their order are those of the desktop notification specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Urgency {
    /// The notice is informational.
    Low,
    /// The notice asks for attention.
    Normal,
    /// The notice stays until the user has seen it.
    Critical,
}

/// Channels through which a notice is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Channels {
    /// The user's command.
    pub command: bool,
    /// The desktop notification service.
    pub desktop: bool,
    /// The status line of clients attached to other agents.
    pub status_line: bool,
    /// The bell of clients attached to other agents.
    pub bell: bool,
    /// Services that pass notices on to other devices.
    pub network: bool,
}
