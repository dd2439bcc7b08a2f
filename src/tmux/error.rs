//! Errors of the tmux adapter. They hold facts only; hints for the user are added by the callers.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Reason why a tmux operation failed.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    /// PATH contains no `tmux` program.
    #[error("tmux was not found in PATH")]
    Missing {
        /// Value of PATH that was searched.
        path: Option<OsString>,
    },
    /// The tmux program is older than 3.2.
    #[error("`{}` is tmux {version}, 3.2 or newer is needed", program.display())]
    TooOld {
        /// Path of the tmux program.
        program: PathBuf,
        /// Version that the program reports.
        version: String,
    },
    /// The versions of the server and of the tmux program differ, and the program of the server was not found.
    #[error("the tmux server is version {server}, but `{}` is {version}", program.display())]
    OtherVersion {
        /// Path of the `tmux` that PATH selects.
        program: PathBuf,
        /// Version of that program.
        version: String,
        /// Version of the running server.
        server: String,
    },
    /// The output of `tmux -V` is not a tmux version.
    #[error("`{} -V` printed {output:?}, which is not a tmux version", program.display())]
    OddVersion {
        /// Path of the program.
        program: PathBuf,
        /// Output of `tmux -V`.
        output: String,
    },
    /// tmux did not answer in time. The state of its sessions is unknown.
    #[error("tmux did not answer within {bound:?} ({what})")]
    TimedOut {
        /// Short name of the call.
        what: &'static str,
        /// Time limit of the call.
        bound: Duration,
    },
    /// The call needs a server, and it is certain that none is running.
    #[error("no tmux server on `{}`", socket.display())]
    NoServer {
        /// Path of the server's socket.
        socket: PathBuf,
    },
    /// The server is running and has no sessions.
    #[error("the tmux server on `{}` has no sessions", socket.display())]
    NoSessions {
        /// Path of the server's socket.
        socket: PathBuf,
    },
    /// The server has too few file descriptors left for another agent or terminal.
    #[error("the tmux server has no room for another {for_what}: {} file descriptors are left", limit.saturating_sub(*open))]
    NoDescriptors {
        /// `agent` or `terminal`.
        for_what: &'static str,
        /// Number of open descriptors.
        open: u64,
        /// Limit on open descriptors.
        limit: u64,
    },
    /// A session with this name already exists.
    #[error("a tmux session named `{session}` exists already")]
    Duplicate {
        /// Name of the session.
        session: String,
    },
    /// No session with this name belongs to the agent.
    #[error("no tmux session `{session}` of this agent")]
    NoSession {
        /// Name of the session.
        session: String,
    },
    /// The pane does not exist.
    #[error("no tmux pane `{pane}`")]
    NoPane {
        /// Id of the pane, for example `%3`.
        pane: String,
    },
    /// The pane's process has ended, so the pane accepts no input.
    #[error("the process in tmux pane `{pane}` has ended")]
    DeadPane {
        /// Id of the pane.
        pane: String,
    },
    /// The pane's process is still running, so it cannot be replaced.
    #[error("the process in tmux pane `{pane}` is still running")]
    BusyPane {
        /// Id of the pane.
        pane: String,
    },
    /// The value contains a NUL byte, which an argument cannot hold.
    #[error("a NUL byte in {what}")]
    Nul {
        /// Description of the value that contains it.
        what: &'static str,
    },
    /// The working directory does not exist.
    #[error("`{}` is not a directory", path.display())]
    NoDirectory {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The socket path exceeds the limit of the operating system.
    #[error("the socket path `{}` has {length} bytes, at most 107 are possible", path.display())]
    LongSocket {
        /// Path of the socket.
        path: PathBuf,
        /// Length of the path in bytes.
        length: usize,
    },
    /// Other users could access the directory of the socket.
    #[error("the socket directory `{}` is not safe: {why}", path.display())]
    UnsafeDirectory {
        /// Path of the directory.
        path: PathBuf,
        /// Reason why the directory is unsafe.
        why: String,
    },
    /// A file of the adapter could not be read or written.
    #[error("cannot {doing} `{}`", path.display())]
    File {
        /// Operation that failed, as a verb.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The tmux program could not be started.
    #[error("cannot run `{}`", program.display())]
    NotRun {
        /// Path of the program.
        program: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// tmux rejected the command.
    #[error("tmux refused ({what}): {output}")]
    Refused {
        /// Short name of the call.
        what: &'static str,
        /// Error message of tmux.
        output: String,
    },
    /// The output of tmux could not be parsed.
    #[error("tmux answered {output:?} ({what})")]
    Garbled {
        /// Short name of the call.
        what: &'static str,
        /// Output of tmux.
        output: String,
    },
}
