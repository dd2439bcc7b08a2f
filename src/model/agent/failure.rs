//! A turn that ended with an error instead of an answer: the cause, and how long the agent's queue is held for it.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::StatusNote;

/// Why a turn failed. The words are a public contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureCause {
    /// The agent CLI is not logged in, or its key was refused.
    Login,
    /// The account has no credit left.
    Credit,
    /// A rate or usage limit was reached.
    Limit,
    /// Any other error of the model's endpoint.
    Error,
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FailureCause::Login => "login",
            FailureCause::Credit => "credit",
            FailureCause::Limit => "limit",
            FailureCause::Error => "error",
        })
    }
}

/// A failed turn as the agent CLI reports it, by a hook or on its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnFailure {
    /// The cause, as far as the CLI names it.
    pub cause: FailureCause,
    /// The error message.
    pub message: String,
    /// When the limit resets, if the message says so.
    pub resets_at: Option<Timestamp>,
}

/// Where a failure was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureSource {
    /// A hook of the agent CLI.
    Hook,
    /// The agent's screen.
    Screen,
}

/// A failed turn as it is stored in a status. Public as `failure` of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedTurn {
    /// Why the turn failed.
    pub cause: FailureCause,
    /// When it failed.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// When the limit resets, if the agent CLI says so.
    #[serde(default, with = "crate::base::json_time::option")]
    pub resets_at: Option<Timestamp>,
    /// Until when the agent is given no work; `None` means until a person acts.
    #[serde(default, with = "crate::base::json_time::option")]
    pub held_until: Option<Timestamp>,
    /// How many turns have failed since the last successful one.
    pub in_a_row: u32,
    /// Where the failure was reported.
    pub source: FailureSource,
    /// Whether the agent CLI goes on with the turn by itself after the reset, so that the turn is not over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl FailedTurn {
    /// Returns whether the agent's queue is held at this time.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.held_until.is_none_or(|until| now < until)
    }
}

impl StatusNote {
    /// Returns the failure that this status is about. A note of later work keeps the failure before it, to count
    /// failures in a row; that one is not returned.
    pub fn failure(&self) -> Option<&FailedTurn> {
        self.failure.as_ref().filter(|failure| failure.at == self.since)
    }
}
