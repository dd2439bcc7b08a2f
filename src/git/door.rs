//! The only place that starts git. What a repository says must never make it start anything else, write anything that
//! was not asked for or reach for the network: a repository is a stranger's word.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long git may take for one answer: a person waits for it.
const BOUND: Duration = Duration::from_secs(2);

/// How long it may take where it writes, or where work is at stake: a checkout of a big repository takes minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// More than any list that fits on a screen; what is beyond is not read.
const MOST_OUTPUT: u64 = 4 << 20;

/// What in a repository's own configuration could start a program, switched off.
const HARMLESS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

/// Why git could not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git in PATH.
    #[error("git is not installed")]
    Missing,
    /// It could not be started.
    #[error("cannot start {}: {source}", program.display())]
    NotRun {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It took too long.
    #[error("git {what} did not end within {} s", bound.as_secs())]
    Slow {
        /// What it was asked.
        what: String,
        /// How long we waited.
        bound: Duration,
    },
    /// It refused.
    #[error("git {what} failed: {said}")]
    Failed {
        /// What it was asked.
        what: String,
        /// What it said, its first complaint.
        said: String,
    },
}

/// git, as it is asked here.
#[derive(Debug, Clone)]
pub struct Git {
    path: OsString,
    home: OsString,
    bound: Duration,
}

impl Git {
    /// The git that is found in a PATH, for the user whose home this is.
    pub fn new(path: impl Into<OsString>, home: impl Into<OsString>) -> Git {
        Git { path: path.into(), home: home.into(), bound: BOUND }
    }

    /// The same, for what a person would rather wait for than not have.
    pub fn patient(self) -> Git {
        self.within(PATIENCE)
    }

    /// The same, with another bound on its time.
    pub(super) fn within(self, bound: Duration) -> Git {
        Git { bound, ..self }
    }

    /// What git answers in a directory to `config`s and arguments.
    pub(super) fn ask(&self, dir: &Path, configs: &[String], args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.ask_with(dir, configs, args, Also::default())
    }

    /// The same, with something to read, or another index than the tree's own.
    pub(super) fn ask_with(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        also: Also<'_>,
    ) -> Result<Vec<u8>, GitError> {
        let what = args.first().copied().unwrap_or_default().to_owned();
        // From the root, so that a `.` in PATH does not find a program in the repository.
        let program = which::which_in("git", Some(&self.path), "/").map_err(|_| GitError::Missing)?;
        let failed = |source| GitError::NotRun { program: program.clone(), source };
        let mut command = self.command(&program, dir, configs);
        command.args(args).envs(also.index.map(|index| ("GIT_INDEX_FILE", index)));
        if let Some(input) = also.input {
            command.stdin(input);
        }
        let mut child = command.spawn().map_err(failed)?;
        let heard = listen(&mut child, self.bound);
        if !matches!(heard, Ok(Some(_))) {
            // Not reaped yet, so its number still means its own group.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        }
        let status = child.wait().map_err(failed)?;
        match heard.map_err(failed)? {
            None => Err(GitError::Slow { what, bound: self.bound }),
            Some([out, _]) if status.success() => Ok(out),
            Some([_, err]) => Err(GitError::Failed { what, said: complaint(&String::from_utf8_lossy(&err)) }),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door to git")]
    fn command(&self, program: &Path, dir: &Path, configs: &[String]) -> Command {
        let mut command = Command::new(program);
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
        command.arg("--no-pager").current_dir(dir).env_clear().envs(environment);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command
    }
}

/// What one question has beside its arguments.
#[derive(Debug, Default)]
pub(super) struct Also<'a> {
    /// What git reads.
    pub input: Option<File>,
    /// The index that it uses.
    pub index: Option<&'a Path>,
}

/// The first line that complains; a progress line may stand before it.
fn complaint(said: &str) -> String {
    let complains = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    said.lines().find(complains).or_else(|| said.lines().next()).unwrap_or_default().to_owned()
}

/// Both outputs of a child that ended; none when the time was over first.
fn listen(child: &mut Child, bound: Duration) -> io::Result<Option<[Vec<u8>; 2]>> {
    let deadline = Instant::now() + bound;
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("the child has no output"));
    };
    let (out, err) = (collect(out)?, collect(err)?);
    let mut heard = [Vec::new(), Vec::new()];
    for (text, source) in heard.iter_mut().zip([out, err]) {
        match source.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(said) => *text = said,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
    // It has closed its outputs, and is as good as gone.
    while child.try_wait()?.is_none() {
        if Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(Duration::from_micros(200));
    }
    Ok(Some(heard))
}

/// Reads in a thread of its own, which ends with the child's output.
fn collect(source: impl Read + Send + 'static) -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (done, result) = mpsc::channel();
    thread::Builder::new().name("git".to_owned()).spawn(move || {
        let mut text = Vec::new();
        let _ = source.take(MOST_OUTPUT).read_to_end(&mut text);
        let _ = done.send(text);
    })?;
    Ok(result)
}
