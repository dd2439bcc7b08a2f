//! Adapters and data that [`Context`] provides beside the store: git, kinds, and the repair of the tmux socket.

use std::ffi::OsStr;
use std::path::Path;

use crate::error::Error;
use crate::git::Git;
use crate::manager::Context;
use crate::manager::agent_process::{is_alive, server_of};
use crate::model::{AgentRecord, Kind};
use crate::process::WITH_PARENT;
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::tmux::Tmux;

impl Context {
    /// Returns git with the PATH, HOME and configuration files of the user of this process; its child processes end with
    /// this process.
    pub(in crate::manager) fn git(&self) -> Git {
        let var = |key| self.env.var(key).unwrap_or_default().to_owned();
        let git = Git::new(var("PATH"), var("HOME"))
            .with_user_variables(|name| self.env.var(name).map(OsStr::to_owned));
        // The binary of a unit test is not this program and cannot start git.
        if cfg!(test) { git } else { git.with_wrapper(WITH_PARENT) }
    }

    /// Lets a running server create its socket again after a cleanup of `/tmp` deleted it, before a second server takes
    /// the path.
    pub(in crate::manager) fn reopen_deleted_socket(&self, tmux: &Tmux) {
        if !tmux.has_no_socket() {
            return;
        }
        let records = self.store.read(self.now()).unwrap_or_default();
        let is_here = |record: &&AgentRecord| {
            record.tmux.as_ref().is_some_and(|location| Path::new(&location.socket) == tmux.socket())
        };
        let held = records.iter().filter(is_here).find(|record| is_alive(record));
        if let Some(server) = held.and_then(server_of) {
            tmux.reopen_socket(server);
        }
    }

    /// Returns the kind of an agent. A plain command has the default kind.
    pub(in crate::manager) fn kind_of(&self, record: &AgentRecord) -> Result<Kind, Error> {
        if record.kind == PLAIN_COMMAND {
            return Ok(Kind::default());
        }
        let kinds = self.kinds()?;
        kinds.get(&record.kind).cloned().ok_or_else(|| {
            Error::no_such_spec(
                record.kind.clone(),
                kinds.names().map(str::to_owned).collect(),
                "agent spawn",
            )
        })
    }
}
