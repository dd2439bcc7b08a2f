//! The tmux edge: the only module that knows tmux. One [`Tmux`] is one server on a socket of our own.
//!
//! - `call` is a question; `wire` puts it to the server, `door` to the tmux program, which can start one; both are
//!   bounded; `linux` is what they need from the system
//! - `socket` and `version`: which server, which program; `conf` is the server's configuration and its hooks
//! - `script` and `target`: how data and names are said so that tmux takes them for what they are
//! - `query` looks, `program` starts programs, after `news` told the server what it does not know, `launch` agents
//!   and `keeper` the supervisor, `session` names, marks and kills, `input` types, `capture` reads screens, `attach`
//!   brings people in and out, `driver` says who of them may type, `share` shows a session to another user, `tell`
//!   gives news
//!
//! Two things must never happen here: that silence is taken for absence (a call that failed or timed out is an
//! error, and only tmux's own words for "no server" mean that there is none), and that tmux or a shell
//! interprets data.

mod capture;
mod clients;
mod error;
mod input;
mod launch;
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

pub use capture::Capture;
pub use clients::attach::{Around, AttachAs, BeforeAttach, CoverPage, Entry};
pub use clients::display_message::{Audience, Bell};
pub use clients::driver::Arrival;
pub use clients::guests::{GuestMay, GuestSeat, GuestTypes, Sizer};
pub use error::TmuxError;
pub use input::Paste;
pub use launch::{Edges, Launch, PANE_PROCESS, Started};
pub use pane_command::LaunchEnv;
pub use server::conf::ConfState;
pub use server::descriptors::DescriptorUse;
pub use server::socket::{LONGEST as LONGEST_SOCKET, SocketChoice, SocketRule, choose_socket};
pub use snapshot::PaneFacts;

use script::Spoken;
use transport::call::{Call, Said};

/// What a [`Tmux`] is made from.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The PATH in which tmux is searched.
    pub path: Option<OsString>,
    /// The socket of our server, see [`choose_socket`].
    pub socket: SocketChoice,
    /// Where small files of ours are kept.
    pub run_dir: PathBuf,
    /// The environment's directory, for the hooks.
    pub home: PathBuf,
    /// The user's additions to the server's configuration.
    pub user_conf: PathBuf,
    /// Our own program, for the hooks.
    pub binary: PathBuf,
    /// The little that the server itself gets of the environment.
    pub base_env: Vec<(OsString, OsString)>,
    /// How long one call may take.
    pub bound: Duration,
}

/// Our tmux server, whether it runs or not.
#[derive(Debug, Clone)]
pub struct Tmux {
    setup: Setup,
    program: PathBuf,
    version: String,
    way: Way,
}

/// How our server is spoken to when it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In its own words.
    Wire,
    /// Through the tmux program.
    #[cfg(test)]
    Program,
}

impl Tmux {
    /// Finds the tmux program and makes sure that it is new enough; starts nothing when that is known already.
    pub fn find(setup: Setup) -> Result<Tmux, TmuxError> {
        let program = which::which_in("tmux", setup.path.as_ref(), "/")
            .map_err(|_| TmuxError::Missing { path: setup.path.clone() })?;
        crate::tmux::server::socket::check(&setup.socket.path)?;
        let env = setup.base_env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str())).collect();
        let version =
            crate::tmux::server::version::known(&program, &setup.run_dir.join("tmux-version"), || {
                let call = Call::new("version", &["-V"], env, setup.bound);
                Ok(String::from_utf8_lossy(&crate::tmux::transport::program::run(&program, &[], &call)?.out)
                    .into_owned())
            })?;
        Ok(Tmux { setup, program, version, way: Way::Wire })
    }

    /// The path of the server's socket.
    pub fn socket(&self) -> &Path {
        &self.setup.socket.path
    }

    /// Whether the socket is gone under a server that may still run.
    pub fn has_no_socket(&self) -> bool {
        !self.setup.socket.path.exists()
    }

    /// Asks this server, which is ours, to make its socket again; says whether it did.
    pub fn reopen_socket(&self, server: i32) -> bool {
        crate::tmux::server::socket::reopen(&self.setup.socket.path, server)
    }

    /// The process of the server, also of one that does not answer.
    pub fn server_process(&self) -> Option<i32> {
        crate::tmux::transport::protocol::server_of(&self.setup.socket.path)
            .map(|pid| pid.as_raw_nonzero().get())
    }

    /// How many file descriptors the server has open, and how many it may have.
    pub fn descriptors(&self) -> Option<DescriptorUse> {
        crate::tmux::server::descriptors::used_by(crate::tmux::transport::protocol::server_of(
            &self.setup.socket.path,
        )?)
    }

    /// Process id of a server that is ending: it still holds the socket and closes every new connection.
    pub fn ending_server(&self) -> Option<i32> {
        match self.ask("look", &["display-message", "-p", ""]) {
            Err(TmuxError::NoServer { .. }) => self.server_process(),
            _ => None,
        }
    }

    /// The tmux program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its version, as it says it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A call of our server with these commands.
    fn call<'a>(&'a self, what: &'static str, words: &'a [&'a str]) -> Call<'a> {
        let env = self.setup.base_env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str()));
        Call::new(what, words, env.collect(), self.setup.bound)
    }

    /// Asks the server; the program when there is none to ask, because that one can start it or knows why not.
    fn run(&self, call: &Call<'_>) -> Result<Said, TmuxError> {
        let said = if self.way == Way::Wire {
            crate::tmux::transport::protocol::ask(&self.setup.socket.path, call)?
        } else {
            None
        };
        if let Some(said) = said {
            return Ok(said);
        }
        let mut options = ["-u", "-S"].map(OsStr::new).to_vec();
        options.push(self.setup.socket.path.as_os_str());
        options.extend(call.conf.iter().flat_map(|conf| [OsStr::new("-f"), conf.as_os_str()]));
        crate::tmux::transport::program::run(&self.program, &options, call)
    }

    /// Runs commands given as arguments; they must be constant or checked.
    fn ask(&self, what: &'static str, words: &[&str]) -> Result<String, TmuxError> {
        self.understand(what, self.run(&self.call(what, words))?)
    }

    /// Runs a script on the server that is there.
    fn tell(&self, what: &'static str, script: script::Script) -> Result<String, TmuxError> {
        let Spoken { text, words } = script.spoken(what)?;
        let call = self.call(what, &["source-file", "-"]);
        let call = Call { stdin: Some(&text), direct: words.as_deref(), ..call };
        self.understand(what, self.run(&call)?)
    }

    /// What tmux said, or which of the situations we know its refusal is.
    fn understand(&self, what: &'static str, said: Said) -> Result<String, TmuxError> {
        if said.success {
            return Ok(String::from_utf8_lossy(&said.out).into_owned());
        }
        let err = said.err.lines().next().unwrap_or_default();
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
            TmuxError::Refused { what, said: said.err }
        })
    }
}

/// Whether tmux says that there certainly is no server. A refused permission or a full queue is something else.
fn means_no_server(err: &str) -> bool {
    let unreachable = ["(No such file or directory)", "(Connection refused)"];
    err.starts_with("no server running on ")
        || err.starts_with("lost server")
        || err.starts_with("server exited")
        || (err.starts_with("error connecting to ") && unreachable.iter().any(|end| err.ends_with(end)))
}

impl TmuxError {
    /// Whether what was asked for is certainly not there, whichever way tmux says it.
    fn is_absence(&self) -> bool {
        use TmuxError::{NoPane, NoServer, NoSession, NoSessions};
        matches!(self, NoServer { .. } | NoSessions { .. } | NoSession { .. } | NoPane { .. })
    }
}

/// The environment less what would lead tmux to another server.
fn without_tmux(env: &[(OsString, OsString)]) -> impl Iterator<Item = (&OsStr, &OsStr)> {
    let stays = |key: &OsStr| key != "TMUX" && key != "TMUX_PANE";
    env.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str())).filter(move |(key, _)| stays(key))
}
