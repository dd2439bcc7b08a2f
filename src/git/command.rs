//! The only place that starts git. Repositories are untrusted: their content and configuration must never make git
//! start other programs, write anything unexpected or access the network.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};

/// Time limit for a query that a user waits for.
const BOUND: Duration = Duration::from_secs(2);

/// Time limit for commands that write, or whose result protects work: the checkout of a big repository takes minutes.
const GIT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Maximum size of the output in bytes, more than any list that fits on a screen. The rest is not read.
const MOST_OUTPUT: u64 = 4 << 20;

/// Maximum length of an error message in characters, because names in a repository may have any length.
const LONGEST_COMPLAINT: usize = 500;

/// Memory limit in bytes for git while it processes untrusted objects: as much as the biggest bundle that is accepted.
const MOST_MEMORY: u64 = 4 << 30;

/// A shell command that sets its own memory limit, in KiB, and then executes git. A limit that is set from outside may
/// come after the memory has been allocated.
const BOUNDED: [&str; 3] = ["/bin/sh", "-c", "ulimit -d \"$0\" && exec \"$@\""];

/// Disables everything in the configuration of a repository that could start a program.
const HARMLESS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

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
    #[error("git {what} failed: {said}")]
    Failed {
        /// Name of the git subcommand.
        what: String,
        /// First error message of git.
        said: String,
    },
}

/// A git program with its environment and limits.
#[derive(Debug, Clone)]
pub struct Git {
    path: OsString,
    home: OsString,
    bound: Duration,
    memory: Option<u64>,
    tie: Option<[&'static str; 2]>,
}

impl Git {
    /// Creates an instance that searches git in `path` and runs it with this home directory.
    pub fn new(path: impl Into<OsString>, home: impl Into<OsString>) -> Git {
        Git { path: path.into(), home: home.into(), bound: BOUND, memory: None, tie: None }
    }

    /// Starts git through this command where it has the long time limit: a git that writes must not outlive this
    /// process.
    pub fn tied_by(self, tie: [&'static str; 2]) -> Git {
        Git { tie: Some(tie), ..self }
    }

    /// Uses the long time limit, for results that are worth a wait.
    pub fn patient(self) -> Git {
        self.within(GIT_TIMEOUT)
    }

    /// Uses another time limit.
    pub(super) fn within(self, bound: Duration) -> Git {
        Git { bound, ..self }
    }

    /// Returns a copy with a memory limit for untrusted objects and patches, a few bytes of which may expand to any
    /// length.
    pub(super) fn wary(&self) -> Git {
        Git { memory: Some(self.memory.unwrap_or(MOST_MEMORY)), ..self.clone() }
    }

    /// Uses another memory limit.
    #[cfg(test)]
    pub(super) fn in_memory_of(self, most: u64) -> Git {
        Git { memory: Some(most), ..self }
    }

    /// Runs git in a directory with additional configuration values and returns its output.
    pub(super) fn ask(&self, dir: &Path, configs: &[String], args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.ask_with(dir, configs, args, Also::default())
    }

    /// Runs git like `ask`, with a file as standard input or with another index file.
    pub(super) fn ask_with(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        also: Also<'_>,
    ) -> Result<Vec<u8>, GitError> {
        let mut command = self.command(dir, configs, args)?;
        command.envs(also.index.map(|index| ("GIT_INDEX_FILE", index)));
        if let Some(input) = also.input {
            command.stdin(input);
        }
        self.hear(command, args, |source| Ok(text(source)))
    }

    /// Passes git's output to a reader while git writes it, regardless of its length. Kills git when the reader returns
    /// an error.
    pub(super) fn stream<T: Send + 'static>(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        read: impl FnOnce(&mut dyn Read) -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, GitError> {
        self.hear(self.command(dir, configs, args)?, args, read)
    }

    fn hear<T: Send + 'static>(
        &self,
        mut command: Command,
        args: &[&str],
        read: impl FnOnce(&mut dyn Read) -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, GitError> {
        let what = args.first().copied().unwrap_or_default().to_owned();
        let program = PathBuf::from(command.get_program());
        let failed = |source| GitError::NotRun { program: program.clone(), source };
        let mut child = command.spawn().map_err(failed)?;
        let heard = listen(&mut child, self.bound, read);
        if !matches!(heard, Ok(Heard::All { .. })) {
            // The child has not been reaped yet, so its process id still identifies its own process group.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        }
        let status = child.wait().map_err(failed)?;
        match heard.map_err(failed)? {
            Heard::TooLate => Err(GitError::Slow { what, bound: self.bound }),
            Heard::Refused(why) => Err(why),
            Heard::All { answer, .. } if status.success() => Ok(answer),
            Heard::All { complaints, .. } => {
                Err(GitError::Failed { what, said: complaint(&String::from_utf8_lossy(&complaints)) })
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door to git")]
    fn command(&self, dir: &Path, configs: &[String], args: &[&str]) -> Result<Command, GitError> {
        // Resolved relative to the root directory, so that a `.` in PATH does not find a program in the repository.
        let program = which::which_in("git", Some(&self.path), "/").map_err(|_| GitError::Missing)?;
        let tie = self.tie.filter(|_| self.bound > BOUND);
        let mut words: Vec<OsString> = tie.into_iter().flatten().map(OsString::from).collect();
        if let Some(most) = self.memory {
            let most = getrlimit(Resource::Data).maximum.map_or(most, |there| there.min(most));
            words.extend(BOUNDED.map(OsString::from));
            words.push((most >> 10).to_string().into());
        }
        words.push(program.into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        for config in HARMLESS.into_iter().chain(configs.iter().map(String::as_str)) {
            command.args(["-c", config]);
        }
        let environment: [(&str, &OsStr); 8] = [
            ("PATH", &self.path),
            ("HOME", &self.home),
            ("LC_ALL", OsStr::new("C")),
            ("GIT_OPTIONAL_LOCKS", OsStr::new("0")),
            ("GIT_TERMINAL_PROMPT", OsStr::new("0")),
            ("GIT_NO_LAZY_FETCH", OsStr::new("1")),
            ("GIT_ALLOW_PROTOCOL", OsStr::new("none")),
            ("GIT_PAGER", OsStr::new("cat")),
        ];
        command.arg("--no-pager").args(args).current_dir(dir).env_clear().envs(environment);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Ok(command)
    }
}

/// The optional inputs of a git command.
#[derive(Debug, Default)]
pub(super) struct Also<'a> {
    /// File that git reads as standard input.
    pub input: Option<File>,
    /// Index file that git uses instead of that of the working tree.
    pub index: Option<&'a Path>,
}

/// Returns the first line with an error, which progress lines may precede.
fn complaint(said: &str) -> String {
    let complains = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let line = said.lines().find(complains).or_else(|| said.lines().next()).unwrap_or_default();
    line.chars().take(LONGEST_COMPLAINT).collect()
}

/// The outcome of reading a child's output.
enum Heard<T> {
    /// The child has ended.
    All { answer: T, complaints: Vec<u8> },
    /// The reader rejected the output.
    Refused(GitError),
    /// The time limit was exceeded.
    TooLate,
}

/// Reads the output of a child until the child ends or has to be killed.
fn listen<T: Send + 'static>(
    child: &mut Child,
    bound: Duration,
    read: impl FnOnce(&mut dyn Read) -> Result<T, GitError> + Send + 'static,
) -> io::Result<Heard<T>> {
    let deadline = Instant::now() + bound;
    let left = || deadline.saturating_duration_since(Instant::now());
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("the child has no output"));
    };
    let out = aside(out, read)?;
    let err = aside(err, text)?;
    let answer = match out.recv_timeout(left()) {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => return Ok(Heard::Refused(why)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(Heard::TooLate),
    };
    let Ok(complaints) = err.recv_timeout(left()) else { return Ok(Heard::TooLate) };
    // The child has closed its outputs and is about to exit.
    while child.try_wait()?.is_none() {
        if Instant::now() >= deadline {
            return Ok(Heard::TooLate);
        }
        thread::sleep(Duration::from_micros(200));
    }
    Ok(Heard::All { answer, complaints })
}

/// Reads in a separate thread, which ends with the child's output.
fn aside<T: Send + 'static>(
    mut source: impl Read + Send + 'static,
    read: impl FnOnce(&mut dyn Read) -> T + Send + 'static,
) -> io::Result<mpsc::Receiver<T>> {
    let (done, result) = mpsc::channel();
    thread::Builder::new().name("git".to_owned()).spawn(move || {
        let _ = done.send(read(&mut source));
    })?;
    Ok(result)
}

fn text(source: &mut dyn Read) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = source.take(MOST_OUTPUT).read_to_end(&mut text);
    text
}
