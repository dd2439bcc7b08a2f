//! Refuses the commands about the web page for agents: a device has the rights of the user.
//!
//! An agent runs as the same Unix user, so this stops what an agent does from its shell, and not a program that
//! imitates the owner in every respect, for example with a terminal of its own. Each new device is therefore shown on
//! all pages and reported by a notice (RFD 0030).

use std::path::Path;

use crate::env::{AGENT, AGENT_ID, HOME};
use crate::error::{Code, Error};
use crate::manager::supervisor::ServiceInstallation;
use crate::manager::web::WebAccess;
use crate::process;

impl WebAccess<'_> {
    /// Returns an error if this process was started by an agent: its environment says so, or that of an ancestor, or an
    /// ancestor is the process of an agent or the tmux server of the agents. All but the first hold after an agent has
    /// cleared the environment, also before its record is written.
    pub fn refuse_agents(&self, what: &str) -> Result<(), Error> {
        if let Some(agent) = self.0.calling_agent()? {
            return Err(refused(&format!("agent `{}`", agent.name), what));
        }
        if [AGENT, AGENT_ID].into_iter().any(|key| self.0.env.is_set(key)) {
            return Err(refused("a process of an agent", what));
        }
        self.refuse_below_agents(&process::ancestors(), what)
    }

    /// Returns an error unless the owner runs this process at a terminal: a process that has left its agent with
    /// `setsid` has no terminal, and one that has only lost its parent still belongs to the session of the agent.
    pub(in crate::manager) fn require_terminal(&self, what: &str) -> Result<(), Error> {
        let Some(leader) = process::leader_at_terminal() else {
            return Err(Error::new(Code::NoTerminal, format!("a process without a terminal may not {what}"))
                .saw("an agent could have started it and left it")
                .hint("run it in a terminal; over SSH, `ssh -t` opens one"));
        };
        self.refuse_below_agents(&process::ancestors_of(leader), what)
    }

    /// Returns an error if one of these processes belongs to an agent, or is the tmux server of the agents: its panes
    /// and the commands of `run-shell` are its children.
    fn refuse_below_agents(&self, ancestors: &[i32], what: &str) -> Result<(), Error> {
        if ancestors.iter().any(|pid| self.is_marked(*pid)) {
            return Err(refused("a process of an agent", what));
        }
        let records = self.0.store.read(self.0.now())?;
        let is_ancestor = |pid: Option<i32>| pid.is_some_and(|pid| ancestors.contains(&pid));
        if let Some(agent) =
            records.iter().find(|record| record.status.status.is_live() && is_ancestor(record.pid))
        {
            return Err(refused(&format!("agent `{}`", agent.name), what));
        }
        match is_ancestor(ServiceInstallation(self.0).server_pid()) {
            true => Err(refused("a process in the tmux server of the agents", what)),
            false => Ok(()),
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

fn refused(name: &str, what: &str) -> Error {
    Error::not_permitted(format!("{name} may not {what}"))
        .hint("a person can, in a terminal outside of the agent")
}
