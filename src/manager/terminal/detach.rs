//! `agent detach`: sends attached terminals away; the agent goes on.

use crate::error::Error;
use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use crate::model::AgentName;

impl Terminals<'_> {
    /// Detaches all terminals of an agent, or the one named; says how many.
    pub fn detach(&self, name: Option<&AgentName>, client: Option<&str>) -> Result<usize, Error> {
        let name = match name {
            Some(name) => name.clone(),
            None => self.own_agent()?,
        };
        // A server without any terminal refuses to detach one.
        if StatusTracker(self.0).agent(&name, "detach")?.clients.is_empty() {
            return Ok(0);
        }
        Ok(self.0.tmux()?.detach(name.as_str(), client)?)
    }

    /// The agent this command runs inside of.
    fn own_agent(&self) -> Result<AgentName, Error> {
        let inside = self.0.env.var(crate::env::AGENT).and_then(|name| name.to_str()?.parse().ok());
        inside.ok_or_else(|| Error::Usage {
            what: "no agent was named, and this is not an agent's terminal".into(),
            hint: Some("`symposium agent detach NAME`".into()),
        })
    }
}
