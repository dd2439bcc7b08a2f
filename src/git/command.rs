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

use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};

/// How long git may take for one answer: a person waits for it.
const BOUND: Duration = Duration::from_secs(2);

/// How long it may take where it writes, or where work is at stake: a checkout of a big repository takes minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// More than any list that fits on a screen; what is beyond is not read.
const MOST_OUTPUT: u64 = 4 << 20;

/// What is told of a complaint: a repository may have names as long as it likes.
const LONGEST_COMPLAINT: usize = 500;

/// What git may keep in memory of a stranger's objects: as much as the biggest bundle that is taken over.
const MOST_MEMORY: u64 = 4 << 30;

/// Bounds itself, in KiB, and becomes git: a bound that is set from outside may come when the memory is taken already.
const BOUNDED: [&str; 3] = ["/bin/sh", "-c", "ulimit -d \"$0\" && exec \"$@\""];

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
    memory: Option<u64>,
    tie: Option<[&'static str; 2]>,
}

impl Git {
    /// The git that is found in a PATH, for the user whose home this is.
    pub fn new(path: impl Into<OsString>, home: impl Into<OsString>) -> Git {
        Git { path: path.into(), home: home.into(), bound: BOUND, memory: None, tie: None }
    }

    /// The same, started through this where it is given time: what writes must not outlive us.
    pub fn tied_by(self, tie: [&'static str; 2]) -> Git {
        Git { tie: Some(tie), ..self }
    }

    /// The same, for what a person would rather wait for than not have.
    pub fn patient(self) -> Git {
        self.within(PATIENCE)
    }

    /// The same, with another bound on its time.
    pub(super) fn within(self, bound: Duration) -> Git {
        Git { bound, ..self }
    }

    /// The same for a stranger's objects and patches, a few bytes of which may unfold to any length.
    pub(super) fn wary(&self) -> Git {
        Git { memory: Some(self.memory.unwrap_or(MOST_MEMORY)), ..self.clone() }
    }

    /// The same, with another bound on its memory.
    #[cfg(test)]
    pub(super) fn in_memory_of(self, most: u64) -> Git {
        Git { memory: Some(most), ..self }
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
        let mut command = self.command(dir, configs, args)?;
        command.envs(also.index.map(|index| ("GIT_INDEX_FILE", index)));
        if let Some(input) = also.input {
            command.stdin(input);
        }
        self.hear(command, args, |source| Ok(text(source)))
    }

    /// What a reader makes of git's answer while it is given, however long it is; git is ended when the reader refuses.
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
            // Not reaped yet, so its number still means its own group.
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
        // From the root, so that a `.` in PATH does not find a program in the repository.
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
    let line = said.lines().find(complains).or_else(|| said.lines().next()).unwrap_or_default();
    line.chars().take(LONGEST_COMPLAINT).collect()
}

/// What was heard of a child.
enum Heard<T> {
    /// It ended.
    All { answer: T, complaints: Vec<u8> },
    /// Its reader wants no more of it.
    Refused(GitError),
    /// The time was over first.
    TooLate,
}

/// Listens to a child until it ends, or is to be ended.
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
    // It has closed its outputs, and is as good as gone.
    while child.try_wait()?.is_none() {
        if Instant::now() >= deadline {
            return Ok(Heard::TooLate);
        }
        thread::sleep(Duration::from_micros(200));
    }
    Ok(Heard::All { answer, complaints })
}

/// Reads in a thread of its own, which ends with the child's output.
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
