//! Finds one agent by its name, with its current status.

use crate::error::Error;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentName, AgentRecord, Status};

impl StatusTracker<'_> {
    /// Returns an agent, or an error that names similar agents.
    pub fn show(&self, name: &AgentName) -> Result<Agent, Error> {
        self.agent(name, "show")
    }

    /// Returns an agent for a command called `verb`, which the error mentions.
    pub(in crate::manager) fn agent(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let current_agents = self.current_agents()?;
        self.warn_about_unknown(&current_agents);
        match current_agents.agents.into_iter().find(|agent| agent.name == *name) {
            Some(agent) => {
                self.keep_tmux_error(current_agents.silence.filter(|_| agent.status == Status::Unknown));
                Ok(agent)
            }
            None => Err(self.0.no_such_agent(name, verb)),
        }
    }

    /// Returns an agent that has a running process in tmux, or an error that explains why it has none.
    pub(in crate::manager) fn running(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let current_agents = self.current_agents()?;
        match current_agents.agents.into_iter().find(|agent| agent.name == *name) {
            None => Err(self.0.no_such_agent(name, verb)),
            Some(agent) if agent.tmux.is_some() && agent.status.is_live() => Ok(agent),
            Some(agent) if is_in_terminal(&agent) => Err(Error::InTerminal { name: agent.name }),
            Some(_) if current_agents.silence.is_some() => {
                current_agents.silence.map_or_else(|| unreachable!(), Err)
            }
            Some(agent) => Err(Error::NotRunning {
                name: agent.name,
                status: format!("{} ({})", agent.status, agent.reason),
            }),
        }
    }

    /// Returns the record of the agent that a tmux session belongs to.
    pub(in crate::manager) fn of_session(&self, session: &str) -> Result<Option<AgentRecord>, Error> {
        let Ok(name) = session.parse::<AgentName>() else { return Ok(None) };
        self.0.record_of_event(&name)
    }
}

/// Returns whether the agent runs in the foreground of a terminal, outside tmux. The status of an agent in an
/// unreachable server is `unknown`.
pub(in crate::manager) fn is_in_terminal(agent: &Agent) -> bool {
    let is_known = agent.status.is_live() && agent.status != Status::Unknown;
    is_known && agent.tmux.is_none() && agent.pid.is_some()
}
