//! `agent prune`: removes agents that exited without an error or were stopped. Crashed and lost agents stay, because a
//! user should see them first.

use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::manager::removal::{AgentRemoval, Removal};
use crate::manager::status::StatusTracker;
use crate::manager::workspace::WorkInspection;
use crate::model::{Agent, AgentName, Status};

/// Options of `agent prune`.
#[derive(Debug, Clone, Copy)]
pub struct PruneRequest {
    /// Minimum time since the agent ended.
    pub older_than: SignedDuration,
    /// Only report which agents would be removed.
    pub dry_run: bool,
}

/// The result for one agent.
#[derive(Debug)]
pub struct Pruned {
    /// Name of the pruned agent.
    pub name: AgentName,
    /// Whether the agent was removed, or the error that prevented it.
    pub outcome: Result<(), Error>,
}

impl AgentRemoval<'_> {
    /// Removes agents that ended. Returns the outcome for each.
    pub fn prune(&self, request: PruneRequest) -> Result<Vec<Pruned>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        StatusTracker(self.0).warn_about_unknown(&current_agents);
        if let Some(silence) = current_agents.silence.filter(|silence| !silence.is_without_tmux()) {
            return Err(silence);
        }
        let now = self.0.now();
        let ended = current_agents.agents.into_iter().filter(|agent| is_due(agent, request.older_than, now));
        let act = |agent: Agent| {
            let outcome = match self.refuse_unseen(&agent.name) {
                Ok(()) if request.dry_run => self
                    .0
                    .record(&agent.name, "rm")
                    .and_then(|record| WorkInspection(self.0).refuse_to_lose_work(&record)),
                Ok(()) => self.rm(&agent.name, Removal::Careful).map(drop),
                refused => refused,
            };
            Pruned { name: agent.name, outcome }
        };
        Ok(ended.map(act).collect())
    }

    /// Returns an error if the agent may have a tmux session but tmux is not available, because the session could not
    /// be closed.
    fn refuse_unseen(&self, name: &AgentName) -> Result<(), Error> {
        match self.0.record(name, "rm")?.tmux {
            Some(_) => self.0.tmux().map(drop),
            None => Ok(()),
        }
    }
}

fn is_due(agent: &Agent, older_than: SignedDuration, now: Timestamp) -> bool {
    matches!(agent.status, Status::Exited | Status::Stopped)
        && agent.clients.is_empty()
        && now.duration_since(agent.status_since) >= older_than
}
