//! Something that a person is told without having asked.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentName, NotifyOn};

/// One thing that is told. The field names are a public contract: a user's command gets it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// What happened, in a line.
    pub title: String,
    /// What is asked, or the last words; may be empty.
    pub body: String,
    /// How loudly it is said.
    pub urgency: Urgency,
    /// The agent, or the first of several.
    pub agent: AgentName,
    /// All agents that it is about.
    pub agents: Vec<AgentName>,
    /// The reason.
    pub on: NotifyOn,
    /// When the last of it happened.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
}

/// How loudly something is said; the words and their order are those of the desktops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Urgency {
    /// Good to know.
    Low,
    /// Somebody should look.
    Normal,
    /// It stays until somebody has looked.
    Critical,
}

/// The ways on which something is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Channels {
    /// The user's program.
    pub command: bool,
    /// The desktop.
    pub desktop: bool,
    /// The status line of terminals attached to other agents.
    pub status_line: bool,
    /// Their bell.
    pub bell: bool,
}
