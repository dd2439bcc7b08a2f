//! What an agent is doing, as one closed list. Every face shows these words.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{FailedTurn, Question};

/// What an agent is doing now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its process is up, it has not yet said that it is ready.
    Starting,
    /// It works on something.
    Working,
    /// It needs a person.
    Waiting,
    /// It is done with its turn and would take a prompt.
    Idle,
    /// Its process ended with code 0.
    Exited,
    /// Its process ended with another code, or by a signal that we did not send.
    Crashed,
    /// We ended it because somebody asked for it.
    Stopped,
    /// We ended it to save resources; it wakes by itself.
    Hibernated,
    /// Its process is gone with its tmux server or session, and nobody saw how.
    Lost,
    /// We could not find out.
    Unknown,
}

impl Status {
    /// Every status, in the order in which lists show them: what waits for a person comes first.
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

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Starting => "starting",
            Status::Working => "working",
            Status::Waiting => "waiting",
            Status::Idle => "idle",
            Status::Exited => "exited",
            Status::Crashed => "crashed",
            Status::Stopped => "stopped",
            Status::Hibernated => "hibernated",
            Status::Lost => "lost",
            Status::Unknown => "unknown",
        }
    }

    /// Whether a process should be there.
    pub fn is_live(self) -> bool {
        matches!(self, Status::Starting | Status::Working | Status::Waiting | Status::Idle | Status::Unknown)
    }

    /// Where it stands in a list for people.
    pub fn rank(self) -> usize {
        Status::ALL.iter().position(|s| *s == self).unwrap_or(Status::ALL.len())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A text that is none of the status words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a status; known: starting, working, waiting, idle, exited, crashed, stopped, hibernated, lost, unknown"
)]
pub struct UnknownStatus(pub String);

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        Status::ALL.into_iter().find(|s| s.word() == text).ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

/// What a waiting agent needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitingFor {
    /// A yes or no to something it wants to do.
    Approval,
    /// An answer.
    Question,
    /// Login, credit, trust, consent: something that the agent CLI needs before it can work.
    Setup,
    /// The reset of a rate or usage limit.
    Limit,
}

impl WaitingFor {
    /// Every value.
    pub const ALL: [WaitingFor; 4] =
        [WaitingFor::Approval, WaitingFor::Question, WaitingFor::Setup, WaitingFor::Limit];
}

impl fmt::Display for WaitingFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WaitingFor::Approval => "approval",
            WaitingFor::Question => "question",
            WaitingFor::Setup => "setup",
            WaitingFor::Limit => "limit",
        })
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit code, when it exited.
    pub code: Option<i32>,
    /// The signal, when one ended it.
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

/// A status with since when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusNote {
    /// What it is doing.
    pub status: Status,
    /// What it waits for, when it waits.
    #[serde(default)]
    pub waiting_for: Option<WaitingFor>,
    /// Since when.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Why we think so, in words a person understands.
    pub reason: String,
    /// What is asked, while it waits and we know it.
    #[serde(default)]
    pub question: Option<Question>,
    /// The last failed turn, until a turn succeeds; [`StatusNote::failure`] tells whether this status is about it.
    #[serde(default)]
    pub failure: Option<FailedTurn>,
}

impl StatusNote {
    /// A note that waits for nothing.
    pub fn new(status: Status, since: Timestamp, reason: impl Into<String>) -> Self {
        StatusNote { status, waiting_for: None, since, reason: reason.into(), question: None, failure: None }
    }

    /// A note of waiting.
    pub fn waiting(for_what: WaitingFor, since: Timestamp, reason: impl Into<String>) -> Self {
        StatusNote { waiting_for: Some(for_what), ..StatusNote::new(Status::Waiting, since, reason) }
    }

    /// Whether the other says the same, whatever the time.
    pub fn same_as(&self, other: &StatusNote) -> bool {
        self.status == other.status
            && self.waiting_for == other.waiting_for
            && self.reason == other.reason
            && self.failure() == other.failure()
            && self.question().map(|asked| &asked.sha256) == other.question().map(|asked| &asked.sha256)
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
    fn what_waits_for_a_person_ranks_first() {
        assert_eq!(Status::Waiting.rank(), 0);
        assert!(Status::Idle.rank() < Status::Working.rank());
    }
}
