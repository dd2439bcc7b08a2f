//! The caller of a command: the agent in whose process tree it runs, its directory and its terminal.

use std::path::Path;
use std::path::PathBuf;

use crate::env::{AGENT, AGENT_ID};
use crate::error::{Code, Error, shown};
use crate::manager::Context;
use crate::model::{AgentId, AgentName, AgentRecord};
use crate::store::AgentLocks;

impl Context {
    /// Returns whether this terminal is inside tmux.
    pub fn is_within_tmux(&self) -> bool {
        self.env.var("TMUX").is_some()
    }

    /// Returns whether this terminal is inside the user's own tmux and that tmux takes this prefix key, so that it has to
    /// be pressed twice. A tmux that does not answer counts as taking it.
    pub fn own_tmux_takes(&self, prefix: &str) -> bool {
        let Some(around) = self.env.var("TMUX") else { return false };
        let pane = self.env.var("TMUX_PANE");
        let own = self.tmux().ok().and_then(|tmux| tmux.prefixes_of_own_tmux(around, pane));
        own.is_none_or(|own| own.iter().any(|key| key == prefix))
    }

    /// Returns the agent in whose process tree this command runs. It is found by its id, which survives a rename.
    pub(in crate::manager) fn calling_agent(&self) -> Result<Option<AgentRecord>, Error> {
        let text = |key| self.env.var(key).and_then(|value| value.to_str());
        let id: Option<AgentId> = text(AGENT_ID).and_then(|id| id.parse().ok());
        let name: Option<AgentName> = text(AGENT).and_then(|name| name.parse().ok());
        let now = self.now();
        if let Some(record) = name.as_ref().map(|name| self.record_of_event(name)).transpose()?.flatten()
            // Any process can set the name; the id proves it.
            && id == Some(record.id)
        {
            return Ok(Some(record));
        }
        let Some(id) = id else { return Ok(None) };
        Ok(self.store.read(now)?.into_iter().find(|record| record.id == id))
    }

    /// Returns the calling agent, or `None` for the user. Returns an error if the environment names an agent that does
    /// not exist: such a process must never act in the name of the user.
    pub(in crate::manager) fn verified_caller(&self) -> Result<Option<AgentRecord>, Error> {
        // An empty id counts too: it was set for an agent.
        let claims_agent = [AGENT, AGENT_ID].into_iter().any(|key| self.env.is_set(key));
        match (self.calling_agent()?, claims_agent) {
            (None, true) => {
                let claim = [AGENT, AGENT_ID].into_iter().find_map(|key| self.env.var(key));
                Err(unknown_caller(&claim.unwrap_or_default().to_string_lossy()))
            }
            (caller, _) => Ok(caller),
        }
    }

    /// Returns the record. An agent may report an event before its spawn wrote the record; the spawn holds the lock
    /// until then.
    pub(in crate::manager) fn record_of_event(&self, name: &AgentName) -> Result<Option<AgentRecord>, Error> {
        if let Some(record) = self.store.find(name, self.now())? {
            return Ok(Some(record));
        }
        let spawned = AgentLocks(&self.store).lock(name, "event")?;
        let record = self.store.find(name, self.now())?;
        if record.is_none() {
            // An event of an unknown agent must leave no lock file behind.
            spawned.release_and_remove();
        }
        Ok(record)
    }

    /// Returns the canonical form of the wanted directory, or of the current one.
    pub(in crate::manager) fn working_directory(&self, wanted: Option<&Path>) -> Result<PathBuf, Error> {
        let wanted = match (wanted, self.env.cwd()) {
            (Some(dir), Some(cwd)) => cwd.join(dir),
            (Some(dir), None) => dir.to_path_buf(),
            (None, Some(cwd)) => cwd.to_path_buf(),
            (None, None) => {
                return Err(Error::bad_directory(".", "the current directory is gone"));
            }
        };
        let bad = |why: &str| Error::bad_directory(&wanted.display().to_string(), why);
        let dir = wanted.canonicalize().map_err(|error| bad(&error.to_string()))?;
        if !dir.is_dir() {
            return Err(bad("it is not a directory"));
        }
        if dir.to_str().is_none() {
            return Err(bad("its name is not valid UTF-8"));
        }
        Ok(dir)
    }
}

fn unknown_caller(name: &str) -> Error {
    Error::new(Code::UnknownCaller, format!("the calling agent `{}` does not exist", shown(name)))
        .saw("SYMPOSIUM_AGENT and SYMPOSIUM_AGENT_ID identify the calling agent")
        .hint("`symposium agent list --all` lists the agents")
}
