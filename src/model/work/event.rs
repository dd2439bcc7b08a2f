//! Something that happened to an agent, as the ledger keeps it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName, Exit, Status, WaitingFor};

/// One line of what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// To whom.
    pub agent: AgentId,
    /// What it was called then.
    pub name: AgentName,
    /// What.
    #[serde(flatten)]
    pub what: What,
    /// Why, or what was said, in words for people.
    pub why: String,
}

/// What can happen to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum What {
    /// Its status changed.
    Status {
        /// The how-manieth change it is; a change that was cut short is written again under its number.
        seq: u64,
        /// From what; none when it is new.
        from: Option<Status>,
        /// To what.
        to: Status,
        /// What it waits for, when it waits.
        waiting_for: Option<WaitingFor>,
        /// How it ended, when it did.
        exit: Option<Exit>,
    },
    /// A terminal was attached.
    Attached,
    /// The last terminal left.
    Detached,
    /// A prompt was taken.
    Prompted,
    /// It was started again by itself.
    Restarted,
    /// It was started again too often, and is left alone now.
    GaveUp,
    /// It works without a sign of life.
    Hung,
    /// A heartbeat was due.
    Heartbeat,
    /// It was put to sleep to make room.
    Hibernated,
    /// Its project's directory is gone.
    Orphaned,
    /// It was sent a message.
    Messaged,
    /// It wrote to whoever sits at the keyboard.
    Wrote,
    /// A task of its queue was done.
    TaskDone,
    /// A task of its queue failed.
    TaskFailed,
    /// It has another name.
    Renamed,
    /// It was forgotten.
    Removed,
}

impl What {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            What::Status { .. } => "status",
            What::Attached => "attached",
            What::Detached => "detached",
            What::Prompted => "prompted",
            What::Restarted => "restarted",
            What::GaveUp => "gave-up",
            What::Hung => "hung",
            What::Heartbeat => "heartbeat",
            What::Hibernated => "hibernated",
            What::Orphaned => "orphaned",
            What::Messaged => "messaged",
            What::Wrote => "wrote",
            What::TaskDone => "task-done",
            What::TaskFailed => "task-failed",
            What::Renamed => "renamed",
            What::Removed => "removed",
        }
    }
}
