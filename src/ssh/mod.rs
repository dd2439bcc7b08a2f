//! The ssh edge: the OpenSSH client, with the user's own configuration, as it is asked here.
//!
//! What goes into a command line of the far side is fixed words, a checked path and the name of an agent; everything
//! else goes in over standard input, so that no shell there ever sees a text of anybody. One connection to a host is
//! shared by all that is asked of it (ControlMaster). Must never change what the user's configuration says of keys,
//! known hosts or proxies.

mod command;
mod frames;
mod request;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::model::Host;

pub use command::AttachWords;
pub use request::{Bounds, Heed, Lost, Talked};

/// Why ssh could not even be started.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// There is no such program.
    #[error("`{program}` is not installed, or not in PATH")]
    Missing {
        /// What was looked for.
        program: String,
    },
    /// It could not be started, or spoken to.
    #[error("cannot run {}: {source}", program.display())]
    NotRun {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Whether ssh may ask a person for a password or for a host's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// There is a person and a terminal.
    Allowed,
    /// Whatever needs an answer fails.
    Never,
}

/// The OpenSSH client.
#[derive(Debug, Clone)]
pub struct Ssh {
    program: PathBuf,
    run_dir: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Ssh {
    /// The one that `program` names, a path or a name in this PATH; its sockets are in `run_dir`.
    pub fn find(program: &str, run_dir: PathBuf, env: &[(OsString, OsString)]) -> Result<Ssh, SshError> {
        let path = env.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value.clone());
        // From the root, so that a `.` in PATH does not find a program wherever we are.
        let found = which::which_in(program, path, "/");
        let program = found.map_err(|_| SshError::Missing { program: program.to_owned() })?;
        Ok(Ssh { program, run_dir, env: env.to_vec() })
    }

    /// The socket of the connection to a host; none when its path would be too long for one.
    fn socket(&self, host: &Host) -> Option<PathBuf> {
        /// A socket's path has 104 bytes on some systems, and ssh puts 17 behind it while it makes one.
        const LONGEST: usize = 104 - 17 - 1;
        let path = self.run_dir.join(format!("ssh-{}", host.link));
        let is_plain =
            path.to_str().is_some_and(|text| text.len() <= LONGEST && !text.contains(['%', '"', ' ']));
        is_plain.then_some(path)
    }
}
