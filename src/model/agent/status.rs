//! The closed list of statuses of an agent. All faces show these names.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{FailedTurn, Question};

/// The present activity of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownStatus, parse_err_fn = UnknownStatus::new)]
pub enum Status {
    /// The process runs, but has not yet reported that it is ready.
    Starting,
    /// The agent works on a prompt.
    Working,
    /// The agent needs the user.
    Waiting,
    /// The agent has finished its turn and would accept a prompt.
    Idle,
    /// The process ended with code 0.
    Exited,
    /// The process ended with another code, or by a signal that Symposium did not send.
    Crashed,
    /// Symposium ended the process on request.
    Stopped,
    /// Symposium ended the process to save resources; the agent is resumed when it is needed.
    Hibernated,
    /// The process disappeared with its tmux server or session, and its exit was not observed.
    Lost,
    /// The status could not be determined.
    Unknown,
}

impl Status {
    /// All statuses, in the order in which lists show them: agents that wait for the user come first.
    pub const ALL: [Status; 10] = [
        Status::Waiting,
        Status::Crashed,
        Status::Lost,
        Status::Unknown,
        Status::Idle,
        Status::Working,
        Status::Starting,
        Status::Exited,
        Status::Stopped,
        Status::Hibernated,
    ];

    /// Returns the name of the status.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns whether the agent should have a running process.
    pub fn is_live(self) -> bool {
        matches!(self, Status::Starting | Status::Working | Status::Waiting | Status::Idle | Status::Unknown)
    }

    /// Returns the position of the status in the order of lists.
    pub fn rank(self) -> usize {
        Status::ALL.iter().position(|s| *s == self).unwrap_or(Status::ALL.len())
    }
}

/// Error for a text that is not the name of a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a status; known: starting, working, waiting, idle, exited, crashed, stopped, hibernated, lost, unknown"
)]
pub struct UnknownStatus(pub String);

impl UnknownStatus {
    fn new(text: &str) -> UnknownStatus {
        UnknownStatus(text.to_owned())
    }
}

/// The reason for which an agent waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum WaitingFor {
    /// Approval of an action that the agent wants to take.
    Approval,
    /// An answer to a question.
    Question,
    /// Login, credit, trust or consent that the agent CLI needs before it can work.
    Setup,
    /// The reset of a rate or usage limit.
    Limit,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Exit {
    /// Exit code, if the process exited.
    pub code: Option<i32>,
    /// Signal, if the process was ended by one.
    pub signal: Option<i32>,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => write!(f, "signal {signal}"),
            (Some(code), None) => write!(f, "code {code}"),
            (None, None) => f.write_str("code unknown"),
        }
    }
}

/// A status with its start time and reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusNote {
    /// Status of the agent.
    pub status: Status,
    /// Reason for waiting; `None` unless the status is `waiting`.
    #[serde(default)]
    pub waiting_for: Option<WaitingFor>,
    /// Time since which the status holds.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Explanation of the status for the user.
    pub reason: String,
    /// Question that the agent asks, if it waits and the question is known.
    #[serde(default)]
    pub question: Option<Question>,
    /// Last failed turn, kept until a turn succeeds; [`StatusNote::failure`] returns it only if this status is about
    /// it.
    #[serde(default)]
    pub failure: Option<FailedTurn>,
}

impl StatusNote {
    /// Creates a note for a status that waits for nothing.
    pub fn new(status: Status, since: Timestamp, reason: impl Into<String>) -> Self {
        StatusNote { status, waiting_for: None, since, reason: reason.into(), question: None, failure: None }
    }

    /// Creates a note with the status `waiting`.
    pub fn waiting(waiting_for_kind: WaitingFor, since: Timestamp, reason: impl Into<String>) -> Self {
        StatusNote { waiting_for: Some(waiting_for_kind), ..StatusNote::new(Status::Waiting, since, reason) }
    }

    /// Returns whether the other note differs at most in its time.
    pub fn same_as(&self, other: &StatusNote) -> bool {
        self.status == other.status
            && self.waiting_for == other.waiting_for
            && self.reason == other.reason
            && self.failure() == other.failure()
            && self.question().map(|question| &question.sha256)
                == other.question().map(|question| &question.sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_back() {
        for status in Status::ALL {
            assert_eq!(status.word().parse(), Ok(status));
        }
        assert!("running".parse::<Status>().is_err());
    }

    #[test]
    fn agents_that_wait_for_the_user_rank_first() {
        assert_eq!(Status::Waiting.rank(), 0);
        assert!(Status::Idle.rank() < Status::Working.rank());
    }
}
