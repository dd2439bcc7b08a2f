//! `agent detach`: detaches clients. The agent continues to run.

use crate::error::Error;
use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use crate::model::AgentName;

impl Terminals<'_> {
    /// Detaches all clients of an agent, or the named client. Returns the number of detached clients.
    pub fn detach(&self, name: Option<&AgentName>, client: Option<&str>) -> Result<usize, Error> {
        let name = match name {
            Some(name) => name.clone(),
            None => self.own_agent()?,
        };
        // A server without clients refuses to detach one.
        if StatusTracker(self.0).agent(&name, "detach")?.clients.is_empty() {
            return Ok(0);
        }
        Ok(self.0.tmux()?.detach(name.as_str(), client)?)
    }

    /// Returns the agent that this command runs in.
    fn own_agent(&self) -> Result<AgentName, Error> {
        let inside = self.0.env.var(crate::env::AGENT).and_then(|name| name.to_str()?.parse().ok());
        inside.ok_or_else(|| Error::Usage {
            what: "no agent was named, and this is not an agent's terminal".into(),
            hint: Some("`symposium agent detach NAME`".into()),
        })
    }
}
