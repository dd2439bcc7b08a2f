//! The port range of a worktree, so that the servers of several agents do not get in each other's way.

use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord, Workspace};
use crate::process::is_port_free;
use crate::rules::workspace::ports::{choose, variables};
use crate::store::PortRanges;

impl Workspaces<'_> {
    /// Returns the variables with the ports of an agent's worktree. The first call reserves free ports for the path of
    /// the worktree. Returns none for other workspaces.
    pub(in crate::manager) fn port_variables(&self, record: &AgentRecord) -> Vec<(String, String)> {
        if record.workspace != Workspace::Worktree {
            return Vec::new();
        }
        let path = self.port_key(&record.name);
        match PortRanges(&self.0.store).find_or_record(&path, |taken| choose(&path, taken, is_port_free)) {
            Ok(Some(first)) => variables(first).collect(),
            Ok(None) => {
                self.0.notice(format!("no free ports for `{}`: SYMPOSIUM_PORT is not set", record.name));
                Vec::new()
            }
            Err(error) => {
                self.0.notice(format!("no ports for `{}`: {error}", record.name));
                Vec::new()
            }
        }
    }

    /// Keeps the ports of a worktree that was moved because its agent was renamed.
    pub(in crate::manager) fn move_ports(&self, from: &AgentName, to: &AgentName) {
        if let Err(error) = PortRanges(&self.0.store).move_to(&self.port_key(from), &self.port_key(to)) {
            self.0.notice(format!("`{to}` gets other ports at its next start: {error}"));
        }
    }

    /// Gives the ports of a removed worktree back.
    pub(in crate::manager) fn release_ports(&self, record: &AgentRecord) {
        // A range that stays reserved costs nothing but the range.
        let _ = PortRanges(&self.0.store).release(&self.port_key(&record.name));
    }

    fn port_key(&self, name: &AgentName) -> String {
        self.workspace_under(name).to_string_lossy().into_owned()
    }
}
