//! One tmux call and its output, independent of the transport: the client protocol or the tmux program.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tmux::TmuxError;

/// Variables that would direct tmux to another server or state a wrong directory.
const EXCLUDED_VARIABLES: [&str; 3] = ["TMUX", "TMUX_PANE", "PWD"];

/// One call to tmux.
pub(in crate::tmux) struct TmuxCall<'a> {
    /// Short name of the call, for errors.
    pub what: &'static str,
    /// Commands, separated by `;`.
    pub words: &'a [&'a str],
    /// Complete environment of the client.
    pub env: Vec<(&'a OsStr, &'a OsStr)>,
    /// Standard input of the call.
    pub stdin: Option<&'a [u8]>,
    /// The same commands as `words` and `stdin` together, for the client protocol, where other users cannot read the
    /// arguments.
    pub direct: Option<&'a [Vec<u8>]>,
    /// Working directory of the client, if it matters.
    pub dir: Option<&'a Path>,
    /// Configuration file of a server that this call starts.
    pub conf: Option<&'a Path>,
    /// Time limit of the call.
    pub bound: Duration,
    /// Callback that runs while the server works.
    pub meanwhile: Option<&'a dyn Fn()>,
    /// Whether the call makes the server keep more files open.
    pub growth: Growth,
}

/// Whether a call makes the server keep more files open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tmux) enum Growth {
    /// It opens no more files.
    None,
    /// It starts a process in a pane, and is refused if few descriptors are left.
    Pane,
    /// It attaches a client, and is refused if only those for commands are left.
    Terminal,
}

/// Output of a tmux call.
#[derive(Debug)]
pub(in crate::tmux) struct CommandOutput {
    /// Whether the exit code was 0.
    pub success: bool,
    /// Standard output as raw bytes.
    pub out: Vec<u8>,
    /// Standard error, trimmed.
    pub err: String,
}

impl<'a> TmuxCall<'a> {
    /// Creates a call with these commands, this environment and no other options.
    pub(in crate::tmux) fn new(
        what: &'static str,
        words: &'a [&'a str],
        env: Vec<(&'a OsStr, &'a OsStr)>,
        bound: Duration,
    ) -> TmuxCall<'a> {
        TmuxCall {
            what,
            words,
            env,
            stdin: None,
            direct: None,
            dir: None,
            conf: None,
            bound,
            meanwhile: None,
            growth: Growth::None,
        }
    }

    /// Returns the variables that may be passed on.
    pub(in crate::tmux) fn variables(&self) -> impl Iterator<Item = (&'a OsStr, &'a OsStr)> {
        self.env.iter().copied().filter(|(key, _)| EXCLUDED_VARIABLES.iter().all(|name| key != name))
    }

    /// Returns the error for a call that exceeded its time limit.
    pub(in crate::tmux) fn timed_out(&self) -> TmuxError {
        TmuxError::TimedOut { what: self.what, bound: self.bound }
    }

    /// Returns the time at which the call must be finished if it begins now.
    pub(in crate::tmux) fn deadline(&self) -> Instant {
        Instant::now() + self.bound
    }
}
