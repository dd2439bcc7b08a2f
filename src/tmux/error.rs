//! What can go wrong with tmux, as facts. Hints for people are composed elsewhere.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why something could not be had from tmux.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    /// No tmux in PATH.
    #[error("tmux was not found in PATH")]
    Missing {
        /// The PATH that was searched.
        path: Option<OsString>,
    },
    /// A tmux older than 3.2.
    #[error("`{}` is tmux {version}, 3.2 or newer is needed", program.display())]
    TooOld {
        /// The program.
        program: PathBuf,
        /// What it says it is.
        version: String,
    },
    /// The server is of another version than the tmux program, and its own program cannot be found.
    #[error("the tmux server is version {server}, but `{}` is {version}", program.display())]
    OtherVersion {
        /// The tmux program of PATH.
        program: PathBuf,
        /// Its version.
        version: String,
        /// The version of the server.
        server: String,
    },
    /// A program that does not say which tmux it is.
    #[error("`{} -V` said {said:?}, which is no tmux version", program.display())]
    OddVersion {
        /// The program.
        program: PathBuf,
        /// What it said.
        said: String,
    },
    /// tmux did not answer in time; nothing is known about its sessions.
    #[error("tmux did not answer within {bound:?} ({what})")]
    TimedOut {
        /// The call.
        what: &'static str,
        /// How long we waited.
        bound: Duration,
    },
    /// The server that the call needs is certainly not there.
    #[error("no tmux server on `{}`", socket.display())]
    NoServer {
        /// Its socket.
        socket: PathBuf,
    },
    /// The server is there and has no sessions at all.
    #[error("the tmux server on `{}` has no sessions", socket.display())]
    NoSessions {
        /// Its socket.
        socket: PathBuf,
    },
    /// The server has too few file descriptors left for another agent.
    #[error("the tmux server has no room for another agent: {} file descriptors are left", limit.saturating_sub(*open))]
    NoDescriptors {
        /// How many are open.
        open: u64,
        /// How many it may have open.
        limit: u64,
    },
    /// A session of that name exists.
    #[error("a tmux session named `{session}` exists already")]
    Duplicate {
        /// The name.
        session: String,
    },
    /// No session of that name that belongs to the agent in question.
    #[error("no tmux session `{session}` of this agent")]
    NoSession {
        /// The name.
        session: String,
    },
    /// No such pane.
    #[error("no tmux pane `{pane}`")]
    NoPane {
        /// The id.
        pane: String,
    },
    /// The pane's process has ended, so there is nobody to type to.
    #[error("the process in tmux pane `{pane}` has ended")]
    DeadPane {
        /// The id.
        pane: String,
    },
    /// The pane's process still runs, so the pane is not free.
    #[error("the process in tmux pane `{pane}` still runs")]
    BusyPane {
        /// The id.
        pane: String,
    },
    /// A NUL byte, which no program can be given.
    #[error("a NUL byte in {what}")]
    Nul {
        /// Where it stood.
        what: &'static str,
    },
    /// The directory to start in is not there.
    #[error("`{}` is not a directory", path.display())]
    NoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// A socket path that the system cannot take.
    #[error("the socket path `{}` has {length} bytes, at most 107 are possible", path.display())]
    LongSocket {
        /// The path.
        path: PathBuf,
        /// Its length.
        length: usize,
    },
    /// The directory of the socket could be used by others.
    #[error("the socket directory `{}` is not safe: {why}", path.display())]
    UnsafeDirectory {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file of ours could not be read or written.
    #[error("cannot {doing} `{}`", path.display())]
    File {
        /// What we were doing.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The tmux program could not be run.
    #[error("cannot run `{}`", program.display())]
    NotRun {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// tmux said no, in its own words.
    #[error("tmux refused ({what}): {said}")]
    Refused {
        /// The call.
        what: &'static str,
        /// Its words.
        said: String,
    },
    /// tmux answered something that we do not understand.
    #[error("tmux answered {said:?} ({what})")]
    Garbled {
        /// The call.
        what: &'static str,
        /// What it said.
        said: String,
    },
}
