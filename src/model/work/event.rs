//! Events of agents, as the ledger stores them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName, Exit, Status, WaitingFor};

/// One event of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEvent {
    /// Time of the event.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Agent that the event concerns.
    pub agent: AgentId,
    /// Name of the agent at that time.
    pub name: AgentName,
    /// Kind of the event.
    #[serde(flatten)]
    pub what: EventKind,
    /// Reason or text of the event for the user.
    pub why: String,
}

/// Kinds of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum EventKind {
    /// The status changed.
    Status {
        /// Sequence number of the change. A retry after a crash reuses it.
        seq: u64,
        /// Status before the change; `None` for a new agent.
        from: Option<Status>,
        /// Status after the change.
        to: Status,
        /// Reason for waiting; `None` unless the status is `waiting`.
        waiting_for: Option<WaitingFor>,
        /// How the process ended, if it did.
        exit: Option<Exit>,
    },
    /// A client attached.
    Attached,
    /// The last client detached.
    Detached,
    /// The agent accepted a prompt.
    Prompted,
    /// A turn of the agent failed.
    TurnFailed,
    /// The supervisor restarted the agent.
    Restarted,
    /// The agent reached the limit on restarts and is not restarted any more.
    GaveUp,
    /// The agent hangs.
    Hung,
    /// A heartbeat was due.
    Heartbeat,
    /// The agent was hibernated to free capacity.
    Hibernated,
    /// The project directory of the agent is gone.
    Orphaned,
    /// The agent was sent a message.
    Messaged,
    /// The agent sent a message to the user.
    Wrote,
    /// A task on the agent's queue was done.
    TaskDone,
    /// A task on the agent's queue failed.
    TaskFailed,
    /// The agent was renamed.
    Renamed,
    /// The agent was removed.
    Removed,
}

impl EventKind {
    /// Returns the name of the kind.
    pub fn word(&self) -> &'static str {
        self.into()
    }
}
