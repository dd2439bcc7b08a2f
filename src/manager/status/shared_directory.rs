//! Agents that work in the directory of another agent. Children do so by default.

use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::git;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentName, AgentRecord};

impl StatusTracker<'_> {
    /// Returns the names of the other live agents that work in a directory or below it.
    pub(in crate::manager) fn others_below(
        &self,
        record: &AgentRecord,
        directory: &Path,
    ) -> Result<Vec<AgentName>, Error> {
        let agents = self.current_agents()?.agents;
        let is_other = |agent: &&Agent| agent.id != record.id && is_live_below(agent, directory);
        Ok(agents.iter().filter(is_other).map(|agent| agent.name.clone()).collect())
    }

    /// Refuses to remove or replace a directory in which other live agents work.
    pub(in crate::manager) fn refuse_shared(
        &self,
        record: &AgentRecord,
        directory: &Path,
    ) -> Result<(), Error> {
        let others = self.others_below(record, directory)?;
        if others.is_empty() {
            return Ok(());
        }
        let name = &record.name;
        let named: Vec<String> = others.iter().map(|other| format!("agent `{other}`")).collect();
        let work = if others.len() == 1 { "works" } else { "work" };
        let what = format!("{} {work} in the directory of `{name}`", named.join(", "));
        let others: Vec<&str> = others.iter().map(AgentName::as_str).collect();
        Err(Error::new(Code::StillRunning, what)
            .saw("nothing was changed")
            .hint(format!("end it first: `symposium agent kill {}`", others.join(" "))))
    }
}

/// Returns whether an agent runs and its directory is this one or below it.
pub(in crate::manager) fn is_live_below(agent: &Agent, directory: &Path) -> bool {
    let own = Path::new(&agent.working_directory);
    agent.status.is_live() && (own.starts_with(directory) || resolved(own).starts_with(resolved(directory)))
}

/// Returns whether an agent works in the working tree with this root.
pub(in crate::manager) fn works_in_tree(agent: &Agent, top: &Path) -> bool {
    git::project(&resolved(Path::new(&agent.working_directory))) == Some(resolved(top))
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
