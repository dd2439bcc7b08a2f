//! Runs one program in the sealed environment with a time limit and its output through pipes, as in a user's shell.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::wait;

/// Time limit of a run. A test that needs more is wrong.
const BOUND: Duration = Duration::from_secs(60);

/// A program that is about to run.
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
    bound: Duration,
}

impl Run {
    /// Wraps a command whose environment is already sealed.
    pub(super) fn new(command: Command) -> Run {
        Run { command, stdin: Vec::new(), bound: BOUND }
    }

    /// Sets the bytes of its standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.stdin = bytes.into();
        self
    }

    /// Sets one more variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Run {
        self.command.env(name, value);
        self
    }

    /// Runs it in another directory than the project.
    pub fn current_dir(mut self, dir: impl AsRef<Path>) -> Run {
        self.command.current_dir(dir);
        self
    }

    /// Sets a shorter time limit.
    pub fn within(mut self, bound: Duration) -> Run {
        self.bound = bound;
        self
    }

    /// Starts it without waiting.
    #[track_caller]
    pub fn start(mut self) -> Running {
        let text = format!("{:?}", self.command);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|why| panic!("cannot start {text}: {why}"));
        let mut input = child.stdin.take().expect("stdin is piped");
        let bytes = self.stdin;
        // On its own thread: a program that answers before it has read everything must not block the test.
        thread::spawn(move || {
            let _ = input.write_all(&bytes);
        });
        let stdout = Collected::of(child.stdout.take().expect("stdout is piped"));
        let stderr = Collected::of(child.stderr.take().expect("stderr is piped"));
        Running { text, child, stdout, stderr, deadline: Instant::now() + self.bound }
    }

    /// Starts it for an exchange line by line.
    #[track_caller]
    pub fn talk(mut self) -> Talk {
        let text = format!("{:?}", self.command);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|why| panic!("cannot start {text}: {why}"));
        let input = child.stdin.take().expect("stdin is piped");
        let (sender, receiver) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stderr = Collected::of(child.stderr.take().expect("stderr is piped"));
        Talk { text, child, input: Some(input), receiver, stderr, bound: self.bound }
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn outcome(self) -> Outcome {
        self.start().finish()
    }

    /// Runs it to its end and asserts success.
    #[track_caller]
    pub fn ok(self) -> Outcome {
        self.outcome().ok()
    }

    /// Runs it to its end and asserts this exit code.
    #[track_caller]
    pub fn fails(self, code: i32) -> Outcome {
        self.outcome().fails(code)
    }
}

/// A program with which the test exchanges lines. It is ended on drop.
pub struct Talk {
    text: String,
    child: Child,
    input: Option<ChildStdin>,
    receiver: Receiver<String>,
    stderr: Collected,
    bound: Duration,
}

impl Talk {
    /// Sends a line.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("its input is open");
        if let Err(why) = writeln!(input, "{line}").and_then(|()| input.flush()) {
            panic!("{} does not listen: {why}\nstderr:\n{}", self.text, self.stderr.so_far());
        }
    }

    /// Returns the next line of its output, or `None` if it has closed its output.
    #[track_caller]
    pub fn hear(&self) -> Option<String> {
        match self.receiver.recv_timeout(self.bound) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("{} said nothing in time\nstderr:\n{}", self.text, self.stderr.so_far())
            }
        }
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns its standard error so far.
    pub fn stderr_so_far(&self) -> String {
        self.stderr.so_far()
    }

    /// Closes its input, waits for its end and returns its exit code.
    #[track_caller]
    pub fn finish(mut self) -> Option<i32> {
        drop(self.input.take());
        while self.hear().is_some() {}
        self.child.wait().expect("the child is ours").code()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program that runs.
pub struct Running {
    text: String,
    child: Child,
    stdout: Collected,
    stderr: Collected,
    deadline: Instant,
}

impl Running {
    /// Returns its process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a pid fits")
    }

    /// Returns whether it is stopped at a failpoint that was set with `stop:`.
    pub fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    }

    /// Lets it continue from the failpoint.
    pub fn go_on(&self) {
        let pid = rustix::process::Pid::from_raw(self.pid()).expect("it has a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).expect("it belongs to this user");
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Returns its standard output so far.
    pub fn stdout_so_far(&self) -> String {
        self.stdout.so_far()
    }

    /// Returns its standard error so far.
    pub fn stderr_so_far(&self) -> String {
        self.stderr.so_far()
    }

    /// Waits for its end and until all processes have closed its output.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        let closed = self.stdout.closed_by(self.deadline) && self.stderr.closed_by(self.deadline);
        let mut status = None;
        let left = self.deadline.saturating_duration_since(Instant::now());
        wait::holds_within(left, &mut || {
            status = self.child.try_wait().expect("the child is ours");
            status.is_some()
        });
        let (stdout, stderr) = (self.stdout.so_far(), self.stderr.so_far());
        let Some(status) = status else {
            let _ = self.child.kill();
            let _ = self.child.wait();
            panic!("{} did not end in time\nstdout:\n{stdout}\nstderr:\n{stderr}", self.text);
        };
        assert!(closed, "{} ended, but a child of it holds its output open\nstdout:\n{stdout}", self.text);
        // 128+N like a shell, so that a killed program has a code too.
        let code = status.code().unwrap_or_else(|| {
            128 + std::os::unix::process::ExitStatusExt::signal(&status).expect("no code means a signal")
        });
        Outcome { text: self.text, code, stdout, stderr }
    }
}

/// The result of a run.
#[derive(Clone)]
pub struct Outcome {
    text: String,
    /// The exit code, 128+N for signal N.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Outcome {
    /// Asserts success.
    #[track_caller]
    pub fn ok(self) -> Outcome {
        self.fails(0)
    }

    /// Asserts this exit code.
    #[track_caller]
    pub fn fails(self, code: i32) -> Outcome {
        assert!(self.code == code, "expected exit code {code}\n{self:?}");
        self
    }

    /// Returns standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|why| panic!("stdout is not JSON: {why}\n{self:?}"))
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\nexit code: {}\nstdout:\n{}\nstderr:\n{}",
            self.text, self.code, self.stdout, self.stderr
        )
    }
}

/// One stream, read on its own thread until it is closed.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Collected {
    fn of(mut stream: impl Read + Send + 'static) -> Collected {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (done, closed) = mpsc::channel();
        let sink = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                sink.lock().expect("no reader panics").extend_from_slice(&buffer[..n]);
            }
            let _ = done.send(());
        });
        Collected { bytes, closed }
    }

    fn closed_by(&self, deadline: Instant) -> bool {
        self.closed.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().expect("no reader panics")).into_owned()
    }
}
