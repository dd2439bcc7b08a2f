//! A turn that ended with an error instead of an answer: the cause, and how long the agent's queue is held for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::StatusNote;

/// Cause of a failed turn. The lower-case names are a public contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
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

/// A failed turn as the agent CLI reports it, by a hook or on its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnFailure {
    /// Cause of the failure, as far as the CLI reports it.
    pub cause: FailureCause,
    /// Error message that the CLI printed or sent.
    pub message: String,
    /// Time at which the limit resets, if the message states it.
    pub resets_at: Option<Timestamp>,
}

/// Source of the report of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureSource {
    /// A hook of the agent CLI reported it.
    Hook,
    /// It was read from the agent's screen.
    Screen,
}

/// A failed turn as it is stored in a status. Public as `failure` of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedTurn {
    /// Cause of the failure.
    pub cause: FailureCause,
    /// Time of the failure.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Time at which the limit resets, if the agent CLI reports it.
    #[serde(default, with = "crate::base::json_time::option")]
    pub resets_at: Option<Timestamp>,
    /// End of the period in which the agent gets no work; `None` means until the user acts.
    #[serde(default, with = "crate::base::json_time::option")]
    pub held_until: Option<Timestamp>,
    /// Number of turns that have failed since the last successful turn.
    pub in_a_row: u32,
    /// Number of turns, counted back from this one, that have failed for the same cause without a known reset time.
    #[serde(default)]
    pub same_cause: u32,
    /// Source of the report.
    pub source: FailureSource,
    /// Whether the agent CLI continues the turn by itself after the reset, so that the turn is not over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl FailedTurn {
    /// Returns whether the agent's queue is held at this time.
    pub fn holds_queue(&self, now: Timestamp) -> bool {
        self.held_until.is_none_or(|until| now < until)
    }
}

impl StatusNote {
    /// Returns the failure that this status is about. The note of a later status keeps an earlier failure so that
    /// failures in a row can be counted; such a failure is not returned.
    pub fn failure(&self) -> Option<&FailedTurn> {
        self.failure.as_ref().filter(|failure| failure.at == self.since)
    }
}
