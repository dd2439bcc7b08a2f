//! The identity of an agent in the list, across hosts and renames.

use crate::model::{Agent, AgentId};

/// Identifies an agent by its host and its permanent id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AgentKey {
    /// Name of the host; `None` for this machine.
    pub(crate) host: Option<String>,
    /// Text of the permanent id, so that keys have an order.
    id: String,
}

impl AgentKey {
    /// Returns the key of an agent.
    pub(crate) fn of(agent: &Agent) -> AgentKey {
        AgentKey::new(agent.host.clone(), agent.id)
    }

    /// Returns the key of the agent with this id on a host.
    fn new(host: Option<String>, id: AgentId) -> AgentKey {
        AgentKey { host, id: id.to_string() }
    }
}
