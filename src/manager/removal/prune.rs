//! `agent prune`: forgets agents that ended well or on request. Crashed and lost ones stay until somebody looks.

use crate::manager::removal::AgentRemoval;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::Workspaces;
use jiff::{SignedDuration, Timestamp};

use crate::env::Env;
use crate::error::Error;
use crate::manager::Removal;
use crate::model::{Agent, AgentName, Status};

/// What may go.
#[derive(Debug, Clone, Copy)]
pub struct PruneRequest {
    /// Only those that ended at least so long ago.
    pub older_than: SignedDuration,
    /// Only say what would go.
    pub dry_run: bool,
}

/// What became of one agent.
#[derive(Debug)]
pub struct Pruned {
    /// The agent.
    pub name: AgentName,
    /// Whether it is forgotten, or why it stays.
    pub outcome: Result<(), Error>,
}

impl AgentRemoval<'_> {
    /// Forgets what ended; returns each with what became of it.
    pub fn prune(&self, request: PruneRequest) -> Result<Vec<Pruned>, Error> {
        let survey = StatusTracker(self.0).survey()?;
        StatusTracker(self.0).say_what_is_unknown(&survey);
        if let Some(silence) = survey.silence.filter(|silence| !silence.is_without_tmux()) {
            return Err(silence);
        }
        let now = Env::now();
        let ended = survey.agents.into_iter().filter(|agent| is_due(agent, request.older_than, now));
        let act = |agent: Agent| {
            let outcome = match self.refuse_unseen(&agent.name) {
                Ok(()) if request.dry_run => self
                    .0
                    .record(&agent.name, "rm")
                    .and_then(|record| Workspaces(self.0).refuse_to_lose_work(&record)),
                Ok(()) => self.rm(&agent.name, Removal::Careful).map(drop),
                refused => refused,
            };
            Pruned { name: agent.name, outcome }
        };
        Ok(ended.map(act).collect())
    }

    /// What lived in tmux may have a session there, which nobody can close where there is none to ask.
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
