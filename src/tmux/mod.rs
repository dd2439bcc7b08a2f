//! The tmux adapter: the only module that talks to tmux. A [`Tmux`] stands for one server on a socket of our own.
//!
//! - `server`: socket, version, configuration, hooks, limits and the supervisor's session
//! - `transport`: how commands reach the server, over its protocol or through the tmux program, always with a time
//!   limit
//! - `script` and `target`: quoting of data and names, so that tmux reads them literally
//! - `snapshot`: queries the state of all sessions, panes and clients
//! - `pane_command` and `launch`: start processes and agents
//! - `session`: reads, renames and kills sessions, and updates their options
//! - `input` and `capture`: type into panes and read their screens
//! - `clients`: attached clients, the driver, guests, sizes and messages
//! - `own_tmux`: the prefix keys of the user's own tmux
//! - `fake_server`: a tmux server for unit tests
//! - `error`: the errors of this adapter
//!
//! Two rules hold in this module. A missing answer never means absence: a call that failed or timed out is an error,
//! and only tmux's own messages for "no server" mean that there is none. And neither tmux nor a shell ever interprets
//! data.

mod capture;
mod clients;
mod error;
#[cfg(test)]
mod fake_server;
mod input;
mod launch;
mod own_tmux;
mod pane_command;
mod script;
mod server;
mod session;
mod snapshot;
mod target;
#[cfg(test)]
mod tests;
mod transport;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use capture::{Capture, PaneScreen};
pub use clients::attach::{AttachAs, AttachEntry, AttachSurroundings, CoverPage};
pub use clients::display_message::{Audience, Bell};
pub use clients::driver::JoinReason;
pub use clients::guests::{GuestClient, GuestKeys, GuestPermission, Sizer};
pub use clients::size::DetachedWindow;
pub use error::TmuxError;
#[cfg(test)]
pub use fake_server::FakeServer;
pub use input::Paste;
pub use launch::{ActivityReports, Launch, PANE_PROCESS};
pub use pane_command::LaunchEnv;
pub use server::conf::ConfState;
pub use server::descriptors::DescriptorUse;
pub use server::socket::{MAX_SOCKET_PATH, SocketChoice, SocketRule, choose_socket};

use script::FinishedScript;
use transport::call::{CommandOutput, TmuxCall};

/// Configuration of a [`Tmux`].
#[derive(Debug, Clone)]
pub struct TmuxSetup {
    /// PATH that is searched for the tmux program.
    pub path: Option<OsString>,
    /// Socket of our server, see [`choose_socket`].
    pub socket: SocketChoice,
    /// Directory for the adapter's small files.
    pub run_dir: PathBuf,
    /// State directory of the environment, which the hooks pass on.
    pub home: PathBuf,
    /// Path of the user's additions to the server configuration.
    pub user_conf: PathBuf,
    /// Path of the `symposium` program, which the hooks call.
    pub binary: PathBuf,
    /// Environment variables of the server itself. It gets only these.
    pub base_env: Vec<(OsString, OsString)>,
    /// Time limit of one call.
    pub bound: Duration,
}

/// Our tmux server, whether it is running or not.
#[derive(Debug, Clone)]
pub struct Tmux {
    setup: TmuxSetup,
    program: PathBuf,
    version: String,
    transport: Transport,
}

/// How commands reach a running server.
#[derive(Debug, Clone)]
enum Transport {
    /// Over the tmux client protocol.
    Protocol,
    /// Through the tmux program.
    #[cfg(test)]
    Program,
    /// To a server that consists of data.
    #[cfg(test)]
    Fake(std::sync::Arc<FakeServer>),
}

impl Tmux {
    /// Finds the tmux program and checks that it is new enough. Starts no process if the version is cached.
    pub fn find(setup: TmuxSetup) -> Result<Tmux, TmuxError> {
        let program = which::which_in("tmux", setup.path.as_ref(), "/")
            .map_err(|_| TmuxError::Missing { path: setup.path.clone() })?;
        crate::tmux::server::socket::check(&setup.socket.path)?;
        let env = setup.base_env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str())).collect();
        let version =
            crate::tmux::server::version::known(&program, &setup.run_dir.join("tmux-version"), || {
                let call = TmuxCall::new("version", &["-V"], env, setup.bound);
                Ok(String::from_utf8_lossy(&crate::tmux::transport::program::run(&program, &[], &call)?.out)
                    .into_owned())
            })?;
        Ok(Tmux { setup, program, version, transport: Transport::Protocol })
    }

    /// Returns the path of the server's socket.
    pub fn socket(&self) -> &Path {
        &self.setup.socket.path
    }

    /// Returns `true` if the socket file does not exist. The server may still be running.
    pub fn has_no_socket(&self) -> bool {
        !self.setup.socket.path.exists()
    }

    /// Asks the server with this process id, which must be ours, to create its socket again. Returns whether it did.
    pub fn reopen_socket(&self, server: i32) -> bool {
        crate::tmux::server::socket::reopen(&self.setup.socket.path, server)
    }

    /// Returns the process id of the server, also if the server does not answer.
    pub fn server_process(&self) -> Option<i32> {
        crate::tmux::transport::protocol::server_of(&self.setup.socket.path)
            .map(|pid| pid.as_raw_nonzero().get())
    }

    /// Returns the number of file descriptors that the server has open, and its limit.
    pub fn descriptors(&self) -> Option<DescriptorUse> {
        crate::tmux::server::descriptors::used_by(crate::tmux::transport::protocol::server_of(
            &self.setup.socket.path,
        )?)
    }

    /// Returns the process id of a server that is ending: it still holds the socket and closes every new connection.
    pub fn ending_server(&self) -> Option<i32> {
        match self.run_words("look", &["display-message", "-p", ""]) {
            Err(TmuxError::NoServer { .. }) => self.server_process(),
            _ => None,
        }
    }

    /// Returns the path of the tmux program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the version of the tmux program, as the program reports it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Creates a call with these commands and the adapter's environment and time limit.
    fn call<'a>(&'a self, what: &'static str, words: &'a [&'a str]) -> TmuxCall<'a> {
        let env = self.setup.base_env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str()));
        TmuxCall::new(what, words, env.collect(), self.setup.bound)
    }

    /// Runs a call over the protocol. Falls back to the tmux program if no server can be reached, because the program
    /// can start a server or report why it cannot.
    fn run(&self, call: &TmuxCall<'_>) -> Result<CommandOutput, TmuxError> {
        let reply = match &self.transport {
            Transport::Protocol => crate::tmux::transport::protocol::ask(&self.setup.socket.path, call)?,
            #[cfg(test)]
            Transport::Program => None,
            #[cfg(test)]
            Transport::Fake(server) => Some(server.answer(call)?),
        };
        if let Some(reply) = reply {
            return Ok(reply);
        }
        let mut options = ["-u", "-S"].map(OsStr::new).to_vec();
        options.push(self.setup.socket.path.as_os_str());
        options.extend(call.conf.iter().flat_map(|conf| [OsStr::new("-f"), conf.as_os_str()]));
        crate::tmux::transport::program::run(&self.program, &options, call)
    }

    /// Runs commands that are given as arguments. The arguments must be constants or validated.
    fn run_words(&self, what: &'static str, words: &[&str]) -> Result<String, TmuxError> {
        self.parse_reply(what, self.run(&self.call(what, words))?)
    }

    /// Runs a script on the running server.
    fn run_script(&self, what: &'static str, script: script::Script) -> Result<String, TmuxError> {
        let FinishedScript { text, words } = script.into_request(what)?;
        let call = self.call(what, &["source-file", "-"]);
        let call = TmuxCall { stdin: Some(&text), direct: words.as_deref(), ..call };
        self.parse_reply(what, self.run(&call)?)
    }

    /// Returns the output of a successful call, or converts tmux's error message to an error.
    fn parse_reply(&self, what: &'static str, reply: CommandOutput) -> Result<String, TmuxError> {
        if reply.success {
            return Ok(String::from_utf8_lossy(&reply.out).into_owned());
        }
        let err = reply.err.lines().next().unwrap_or_default();
        let named = |prefixes: &[&str]| {
            let name = prefixes.iter().find_map(|prefix| err.strip_prefix(prefix))?;
            Some(name.trim_start_matches('=').to_owned())
        };
        Err(if means_no_server(err) {
            TmuxError::NoServer { socket: self.setup.socket.path.clone() }
        } else if err == "no current target" {
            TmuxError::NoSessions { socket: self.setup.socket.path.clone() }
        } else if let Some(session) = named(&["duplicate session: "]) {
            TmuxError::Duplicate { session }
        } else if let Some(session) = named(&["can't find session: ", "no such session: "]) {
            TmuxError::NoSession { session }
        } else if let Some(pane) = named(&["can't find pane: ", "no such window: "]) {
            TmuxError::NoPane { pane }
        } else {
            TmuxError::Refused { what, output: reply.err }
        })
    }
}

/// Returns `true` if the message says that there is certainly no server. A denied permission or a full backlog does
/// not.
fn means_no_server(err: &str) -> bool {
    let unreachable = ["(No such file or directory)", "(Connection refused)"];
    err.starts_with("no server running on ")
        || err.starts_with("lost server")
        || err.starts_with("server exited")
        || (err.starts_with("error connecting to ") && unreachable.iter().any(|end| err.ends_with(end)))
}

impl TmuxError {
    /// Returns `true` if the requested object certainly does not exist, in whichever way tmux reports it.
    fn is_absence(&self) -> bool {
        use TmuxError::{NoPane, NoServer, NoSession, NoSessions};
        matches!(self, NoServer { .. } | NoSessions { .. } | NoSession { .. } | NoPane { .. })
    }
}

/// Removes the variables that would direct tmux to another server.
fn without_tmux(env: &[(OsString, OsString)]) -> impl Iterator<Item = (&OsStr, &OsStr)> {
    let stays = |key: &OsStr| key != "TMUX" && key != "TMUX_PANE";
    env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str())).filter(move |(key, _)| stays(key))
}
