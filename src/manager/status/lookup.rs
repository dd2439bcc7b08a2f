//! Finds one agent by its name, with its current status.

use crate::error::Error;
use crate::manager::agent_process::is_alive;
use crate::manager::status::reconcile::find_origins;
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::model::{Agent, AgentId, AgentName, AgentRecord, Status};
use crate::rules::status::reconcile::{TmuxReply, join};
use crate::store::{LEDGER_STALE, RunFiles};

impl AgentLookup<'_> {
    /// Returns an agent, or an error that names similar agents.
    pub fn show(&self, name: &AgentName) -> Result<Agent, Error> {
        self.agent(name, "show")
    }

    /// Returns the id of the agent that has a name now, without asking tmux.
    pub fn id(&self, name: &AgentName) -> Result<AgentId, Error> {
        Ok(self.0.record(name, "show")?.id)
    }

    /// Returns an agent for a command called `verb`, which the error mentions.
    pub(in crate::manager) fn agent(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        StatusTracker(self.0).warn_about_unknown(&current_agents);
        match current_agents.agents.into_iter().find(|agent| agent.name == *name) {
            Some(agent) => {
                StatusTracker(self.0)
                    .keep_tmux_error(current_agents.silence.filter(|_| agent.status == Status::Unknown));
                Ok(agent)
            }
            None => Err(self.0.no_such_agent(name, verb)),
        }
    }

    /// Returns an agent that has a running process in tmux, or an error that explains why it has none.
    pub(in crate::manager) fn running(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        match current_agents.agents.into_iter().find(|agent| agent.name == *name) {
            None => Err(self.0.no_such_agent(name, verb)),
            Some(agent) if agent.tmux.is_some() && agent.status.is_live() => Ok(agent),
            Some(agent) if is_in_terminal(&agent) => Err(Error::in_terminal(&agent.name)),
            Some(_) if current_agents.silence.is_some() => {
                current_agents.silence.map_or_else(|| unreachable!(), Err)
            }
            Some(agent) => {
                Err(Error::not_running(&agent.name, format!("{} ({})", agent.status, agent.reason)))
            }
        }
    }

    /// Returns an agent that runs in tmux as it is recorded, with a query for its session only. Returns `None` in every
    /// other case, where all agents have to be compared with tmux.
    pub(in crate::manager) fn settled_agent(&self, name: &AgentName) -> Result<Option<Agent>, Error> {
        let record = self.0.store.find(name, self.0.now())?.filter(|record| record.tmux.is_some());
        let (Some(record), Ok(tmux)) = (record, self.0.tmux()) else { return Ok(None) };
        if RunFiles(&self.0.store).exists(LEDGER_STALE) {
            return Ok(None);
        }
        let Some(snapshot) = tmux.snapshot_of_session(name)? else { return Ok(None) };
        let mut joined = join(vec![record], TmuxReply::Snapshot(&snapshot), &is_alive, self.0.now());
        let is_settled = joined.changes.is_empty()
            && joined.orphans.is_empty()
            && joined.misnamed_sessions.is_empty()
            && joined.unmoved.is_empty();
        let mut agent = joined.agents.pop().filter(|agent| is_settled && agent.tmux.is_some());
        agent.iter_mut().for_each(find_origins);
        Ok(agent)
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
