//! The ssh adapter: runs the OpenSSH client with the user's own configuration.
//!
//! A command line for the host contains only constants, a validated path and the name of an agent. Everything else is
//! sent over standard input, so that no shell on the host interprets any text. All requests to a host share one
//! connection (ControlMaster). This module must never override the user's configuration of keys, known hosts or
//! proxies.
//!
//! - `command`: the only place that starts ssh
//! - `request`: one request to a host and its answer
//! - `frames`: reads frames from a stream

mod command;
mod frames;
mod request;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::model::Host;

pub use command::RemoteAttachArgs;
pub use request::{FrameFlow, LostConnection, RequestOutcome, RequestTimeouts};

/// Reason why ssh could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// The program does not exist.
    #[error("`{program}` is not installed, or not in PATH")]
    Missing {
        /// Name or path that was searched.
        program: String,
    },
    /// The program could not be started, or its pipes failed.
    #[error("cannot run {}: {source}", program.display())]
    NotRun {
        /// Path of the program.
        program: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// Whether ssh may ask the user for a password or the confirmation of a host key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interaction {
    /// ssh may ask, because there is a user at a terminal.
    Allowed,
    /// ssh may not ask; a login that needs an answer fails.
    Never,
}

/// The OpenSSH client and its settings.
#[derive(Debug, Clone)]
pub struct Ssh {
    program: PathBuf,
    run_dir: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Ssh {
    /// Finds the client. `program` is a path or a name in the PATH of `env`; the sockets of shared connections are in
    /// `run_dir`.
    pub fn find(program: &str, run_dir: PathBuf, env: &[(OsString, OsString)]) -> Result<Ssh, SshError> {
        let path = env.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value.clone());
        // Relative entries of PATH are resolved from the root, so that a `.` in PATH does not find a program in the
        // current directory.
        let found = which::which_in(program, path, "/");
        let program = found.map_err(|_| SshError::Missing { program: program.to_owned() })?;
        Ok(Ssh { program, run_dir, env: env.to_vec() })
    }

    /// Returns the socket of the shared connection to a host, or `None` if its path would be too long.
    fn socket(&self, host: &Host) -> Option<PathBuf> {
        /// A socket path has 104 bytes on some systems, and ssh appends 17 while it creates one.
        const MAX_CONTROL_PATH: usize = 104 - 17 - 1;
        let path = self.run_dir.join(format!("ssh-{}", host.link));
        let is_plain = path
            .to_str()
            .is_some_and(|text| text.len() <= MAX_CONTROL_PATH && !text.contains(['%', '"', ' ']));
        is_plain.then_some(path)
    }
}
