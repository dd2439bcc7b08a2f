//! Refuses the commands about the web page for agents: a device has the rights of the user.

use std::path::Path;

use crate::env::{AGENT, AGENT_ID, HOME};
use crate::error::Error;
use crate::manager::web::WebAccess;
use crate::process;

impl WebAccess<'_> {
    /// Returns an error if this process was started by an agent: its environment says so, or that of an ancestor, or an
    /// ancestor is the process of an agent. The last two hold after an agent has cleared the environment, also before
    /// its record is written.
    pub fn refuse_agents(&self, what: &str) -> Result<(), Error> {
        let refused = |name: &str| {
            Err(Error::not_permitted(format!("{name} may not {what}"))
                .hint("a person can, in a terminal outside of the agent"))
        };
        if let Some(agent) = self.0.calling_agent()? {
            return refused(&format!("agent `{}`", agent.name));
        }
        if [AGENT, AGENT_ID].into_iter().any(|key| self.0.env.is_set(key)) {
            return refused("a process of an agent");
        }
        let ancestors = process::ancestors();
        if ancestors.iter().any(|pid| self.is_marked(*pid)) {
            return refused("a process of an agent");
        }
        let records = self.0.store.read(self.0.now())?;
        let is_ancestor = |pid: Option<i32>| pid.is_some_and(|pid| ancestors.contains(&pid));
        match records.iter().find(|record| record.status.status.is_live() && is_ancestor(record.pid)) {
            Some(agent) => refused(&format!("agent `{}`", agent.name)),
            None => Ok(()),
        }
    }

    /// Checks whether a process was started as part of an agent of this environment.
    fn is_marked(&self, pid: i32) -> bool {
        let variables = process::environment(pid);
        let value = |key| variables.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let is_of_this_environment = value(HOME).is_none_or(|home| Path::new(home) == self.0.home());
        value(AGENT_ID).is_some() && is_of_this_environment
    }
}
