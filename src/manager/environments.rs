//! `symposium env`: the named environments below the default state directory, `~/.symposium/envs/NAME`, selected with
//! `--home @NAME`. Each is a complete state directory with its own registry, ledger, tmux server and supervisor.
//!
//! Listing must not affect an environment, so only the registry is read.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::base::suggest::nearest;
use crate::env::{Clock, Env};
use crate::error::{Code, Error, shown};
use crate::manager::Context;
use crate::manager::lifecycle::Termination;
use crate::manager::removal::{AgentRemoval, Removal};
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::WorkInspection;
use crate::model::{AgentName, EnvironmentName, TmuxSnapshot};
use crate::store::{self, Store, SupervisorLock};

/// How long agents get to exit when their environment is removed by force.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

/// The named environments of this user.
pub struct Environments {
    env: Env,
    root: PathBuf,
}

/// One environment as lists show it. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct EnvironmentView {
    /// The name, or none for the default environment.
    pub name: Option<EnvironmentName>,
    /// The state directory.
    pub path: PathBuf,
    /// Whether commands without `--home` use this environment.
    pub current: bool,
    /// Number of agents in the registry.
    pub agents: usize,
    /// Number of agents that are running according to the registry.
    pub live: usize,
    /// Whether the supervisor of this environment is running.
    pub supervisor: bool,
    /// Why the environment cannot be read, if so.
    pub error: Option<String>,
}

impl Environments {
    /// Returns the environments of the user with this process environment.
    pub fn of(env: Env) -> Result<Environments, Error> {
        let root = env.environments().ok_or_else(|| {
            Error::new(Code::State, "the directory of environments is unknown: HOME is not set")
                .hint("set HOME")
        })?;
        Ok(Environments { env, root })
    }

    /// Returns the default environment and all named ones.
    pub fn list(&self) -> Vec<EnvironmentView> {
        let default = self.root.parent().map(|path| self.view(None, path.to_owned()));
        let named = self.names().into_iter().map(|name| {
            let path = self.path(&name);
            self.view(Some(name), path)
        });
        default.into_iter().chain(named).collect()
    }

    /// Creates an empty environment and returns its path.
    pub fn create(&self, name: &EnvironmentName) -> Result<PathBuf, Error> {
        let path = self.path(name);
        if fs::symlink_metadata(&path).is_ok() {
            return Err(Error::not_safe(format!("an environment named `{name}` already exists"))
                .hint(format!("list its agents with `symposium --home @{name} agent list`")));
        }
        // The default state directory is checked first: it must belong to the user before anything is created below it.
        self.root.parent().map(Store::open).transpose()?;
        store::make_private(&self.root)?;
        Store::open(&path)?.begin()?;
        Ok(path)
    }

    /// Removes an environment with all its files. Without force, returns an error if agents are running or unsaved work
    /// would be lost.
    pub fn remove(&self, name: &EnvironmentName, removal: Removal) -> Result<(), Error> {
        let path = self.path(name);
        if !fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()) {
            return Err(self.no_such(name.as_str()));
        }
        let manager = Context::open(self.env.clone(), Some(&path))?;
        let current_agents = StatusTracker(&manager).current_agents()?;
        if let Some(silence) = current_agents.silence {
            return Err(silence);
        }
        let live: Vec<AgentName> =
            current_agents.agents.iter().filter(|a| a.status.is_live()).map(|a| a.name.clone()).collect();
        if removal == Removal::Careful {
            refuse_while_they_run(name, &live)?;
            for record in manager.store.read(manager.now())? {
                WorkInspection(&manager).refuse_to_lose_work(&record)?;
            }
        }
        SupervisorControl(&manager).stop_supervisor()?;
        for (_, killed) in Termination(&manager).kill_all(&live, TERMINATION_TIMEOUT) {
            killed?;
        }
        for record in manager.store.read(manager.now())? {
            AgentRemoval(&manager).rm(&record.name, removal)?;
        }
        manager.end_server()?;
        Ok(store::remove_home(&path)?)
    }

    fn view(&self, name: Option<EnvironmentName>, path: PathBuf) -> EnvironmentView {
        let current = self.env.home(None).is_some_and(|home| home.path == path);
        let mut view =
            EnvironmentView { name, path, current, agents: 0, live: 0, supervisor: false, error: None };
        if !view.path.is_dir() {
            return view;
        }
        let read = Store::open(&view.path).and_then(|store| {
            let records = store.read(Clock::System.now())?;
            Ok((records, SupervisorLock(&store).holder().is_some()))
        });
        match read {
            Ok((records, supervisor)) => {
                view.agents = records.len();
                view.live = records.iter().filter(|record| record.status.status.is_live()).count();
                view.supervisor = supervisor;
            }
            Err(error) => view.error = Some(error.to_string()),
        }
        view
    }

    fn names(&self) -> Vec<EnvironmentName> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let dirs = entries.filter(|entry| entry.file_type().is_ok_and(|sort| sort.is_dir()));
        let mut names: Vec<_> = dirs.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        names.sort();
        names
    }

    fn path(&self, name: &EnvironmentName) -> PathBuf {
        self.root.join(name.as_str())
    }

    /// Returns the name of the environment that a path refers to, if it does not exist.
    pub(super) fn lacks(&self, path: &Path) -> Option<String> {
        let is_below = path.parent() == Some(self.root.as_path());
        let name = path.file_name().filter(|_| is_below && !path.is_dir())?;
        Some(name.to_string_lossy().into_owned())
    }

    /// Returns the error for an environment that does not exist.
    pub(super) fn no_such(&self, name: &str) -> Error {
        let known: Vec<String> = self.names().iter().map(ToString::to_string).collect();
        unknown_environment(name, &known)
    }
}

impl Context {
    /// Ends our tmux server if it has no sessions. Returns an error if it has sessions that belong to no agent.
    fn end_server(&self) -> Result<(), Error> {
        match self.tmux()?.snapshot()? {
            TmuxSnapshot::Running(server) if server.panes.is_empty() => Ok(self.tmux()?.end()?),
            TmuxSnapshot::Running(server) => Err(Error::not_safe(format!(
                "its tmux server has {} sessions that do not belong to an agent",
                server.panes.len()
            ))
            .hint(format!("list them with `tmux -S {} list-sessions`", self.tmux()?.socket().display()))),
            _ => Ok(()),
        }
    }
}

fn refuse_while_they_run(name: &EnvironmentName, live: &[AgentName]) -> Result<(), Error> {
    let Some(first) = live.first() else { return Ok(()) };
    let names: Vec<&str> = live.iter().take(8).map(AgentName::as_str).collect();
    Err(Error::not_safe(format!("agents are running in environment `{name}`: {}", names.join(", ")))
        .hint(format!("end them first: `symposium --home @{name} agent kill {first}`, or `--all`")))
}

fn unknown_environment(name: &str, known: &[String]) -> Error {
    let known_names = match known {
        [] => "there are no named environments yet".to_owned(),
        known => format!("known: {}", known.join(", ")),
    };
    Error::new(Code::NoSuchEnvironment, format!("no environment named `{}`", shown(name)))
        .saw(known_names)
        .hint(match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `--home @{near}`?"),
            None => format!("create it with `symposium env create {}`", shown(name)),
        })
}
