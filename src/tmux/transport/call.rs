//! One thing that is asked of tmux and what it says to it, whichever way the question goes: through `wire` to the
//! server, or through `door` to the tmux program.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tmux::TmuxError;

/// Variables that would lead tmux to another server or lie about where it is.
const NEVER: [&str; 3] = ["TMUX", "TMUX_PANE", "PWD"];

/// One call of tmux.
pub(in crate::tmux) struct Call<'a> {
    /// The call in a word, for errors.
    pub what: &'static str,
    /// The commands, parted by `;`.
    pub words: &'a [&'a str],
    /// The client's whole environment.
    pub env: Vec<(&'a OsStr, &'a OsStr)>,
    /// What is read as standard input.
    pub stdin: Option<&'a [u8]>,
    /// The same as `words` and `stdin` together, where words go to the server alone: nobody else may read them.
    pub direct: Option<&'a [Vec<u8>]>,
    /// Where the client is, when that matters.
    pub dir: Option<&'a Path>,
    /// What a server reads that this call starts.
    pub conf: Option<&'a Path>,
    /// How long it may take.
    pub bound: Duration,
    /// What the caller does while the server works.
    pub meanwhile: Option<&'a dyn Fn()>,
    /// Whether the call makes the server open more files for good.
    pub growth: Growth,
}

/// Whether a call makes the server open more files for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tmux) enum Growth {
    /// It does not.
    None,
    /// A process in a pane: refused when few descriptors are left.
    Pane,
    /// A terminal, which is never refused.
    Terminal,
}

/// What tmux said.
#[derive(Debug)]
pub(in crate::tmux) struct Said {
    /// Whether it exited with 0.
    pub success: bool,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error, trimmed.
    pub err: String,
}

impl<'a> Call<'a> {
    /// These commands with this environment, and nothing else.
    pub(in crate::tmux) fn new(
        what: &'static str,
        words: &'a [&'a str],
        env: Vec<(&'a OsStr, &'a OsStr)>,
        bound: Duration,
    ) -> Call<'a> {
        Call {
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

    /// The variables that may be given on.
    pub(in crate::tmux) fn variables(&self) -> impl Iterator<Item = (&'a OsStr, &'a OsStr)> {
        self.env.iter().copied().filter(|(key, _)| NEVER.iter().all(|name| key != name))
    }

    /// The call's error when the deadline came first.
    pub(in crate::tmux) fn timed_out(&self) -> TmuxError {
        TmuxError::TimedOut { what: self.what, bound: self.bound }
    }

    /// When it must be over, if it begins now.
    pub(in crate::tmux) fn deadline(&self) -> Instant {
        Instant::now() + self.bound
    }
}
