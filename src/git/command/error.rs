//! The reasons why git returned no answer.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// Maximum length of an error message in characters, because names in a repository may have any length.
const MAX_STDERR_CHARS: usize = 500;

/// The reason why git returned no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git in PATH.
    #[error("git is not installed")]
    Missing,
    /// git could not be started.
    #[error("cannot start {}: {source}", program.display())]
    NotRun {
        /// Path of the program.
        program: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// git exceeded the time limit.
    #[error("git {what} did not end within {} s", bound.as_secs())]
    Slow {
        /// Name of the git subcommand.
        what: String,
        /// Time limit that was exceeded.
        bound: Duration,
    },
    /// git returned an error.
    #[error("git {what} failed: {output}")]
    Failed {
        /// Name of the git subcommand.
        what: String,
        /// First error message of git.
        output: String,
    },
    /// A signal ended git, so that it could not report a result. Several commands fail without a message if there is
    /// nothing to report; this must not be taken for it.
    #[error("git {what} was ended by signal {signal}")]
    Killed {
        /// Name of the git subcommand.
        what: String,
        /// Number of the signal.
        signal: i32,
    },
    /// A filter in the user's own configuration needs a program that is not installed.
    #[error("the filter `{filter}` in your git configuration needs `{program}`")]
    MissingFilter {
        /// Name of the filter.
        filter: String,
        /// Name of the program.
        program: String,
    },
    /// git would not report the whole state of a worktree.
    #[error("{0}")]
    Unverified(String),
}

impl GitError {
    /// Returns what the user can do about the error, as far as it is known.
    pub fn hints(&self) -> Vec<String> {
        match self {
            GitError::MissingFilter { filter, program } => vec![
                format!("install `{program}`, or add its directory to PATH"),
                format!("or remove the filter: `git config --global --remove-section filter.{filter}`"),
            ],
            _ => Vec::new(),
        }
    }
}

/// Returns the error for a command that git refused, or that was killed.
pub(in crate::git) fn failure(args: &[&str], status: ExitStatus, stderr: &[u8]) -> GitError {
    let what = args.first().copied().unwrap_or_default().to_owned();
    match status.signal() {
        Some(signal) => GitError::Killed { what, signal },
        None => GitError::Failed { what, output: first_error_line(&String::from_utf8_lossy(stderr)) },
    }
}

/// Returns the first line with an error, which progress lines may precede.
fn first_error_line(output: &str) -> String {
    let complains = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let line = output.lines().find(complains).or_else(|| output.lines().next()).unwrap_or_default();
    line.chars().take(MAX_STDERR_CHARS).collect()
}
