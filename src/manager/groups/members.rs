//! The agents of a group.

use crate::error::Error;
use crate::manager::groups::Groups;
use crate::model::{AgentName, AgentRecord};

impl Groups<'_> {
    /// Returns the agents that are discarded when an agent is finished as the best of several: those that the user
    /// names, or else the others of its group.
    pub fn others(&self, winner: &AgentName, named: &[AgentName]) -> Result<Vec<AgentName>, Error> {
        if named.contains(winner) {
            return Err(Error::usage(format!("agent `{winner}` cannot be finished and discarded")));
        }
        if !named.is_empty() {
            return Ok(named.to_vec());
        }
        let mut others = self.members(winner)?;
        others.retain(|name| name != winner);
        Ok(others)
    }

    /// Returns all agents of the group of an agent, in the order of their names.
    pub(in crate::manager) fn members(&self, name: &AgentName) -> Result<Vec<AgentName>, Error> {
        let record = self.0.record(name, "compare")?;
        let Some(group) = record.group else {
            return Err(Error::usage(format!("agent `{name}` was not started together with others"))
                .hint("list the other agents by name"));
        };
        let is_member = |other: &AgentRecord| other.group == Some(group);
        let all = self.0.store.read(self.0.now())?;
        let mut names: Vec<AgentName> = all.into_iter().filter(is_member).map(|record| record.name).collect();
        names.sort();
        Ok(names)
    }
}
