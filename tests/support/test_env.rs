//! `TestEnv`: everything that one end-to-end test owns, from a short directory to the tmux server in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use super::leftovers::{self, Process};
use super::run::{Outcome, Run};
use super::terminal::{self, Terminal};
use super::{redact, tools, wait};

/// The longest temporary directory that is used: the path of a socket in an environment must be shorter than 108 bytes.
const MAX_TEMPORARY_DIRECTORY_BYTES: usize = 12;

/// Returns the system's temporary directory, or `/tmp` if its path is too long for sockets.
fn short_temporary_directory() -> PathBuf {
    let directory = std::env::temp_dir();
    let is_short = directory.as_os_str().len() <= MAX_TEMPORARY_DIRECTORY_BYTES;
    if is_short { directory } else { PathBuf::from("/tmp") }
}

/// A sealed environment. Dropping it ends its servers and every process that was started in it.
pub struct TestEnv {
    root: PathBuf,
    /// Taken out on a failure, so that the directory is kept.
    directory: Option<TempDir>,
    tmux: PathBuf,
    terminals: AtomicUsize,
}

impl TestEnv {
    /// Creates an environment with an empty home, an empty project directory and no server.
    pub fn new() -> TestEnv {
        let directory = tempfile::Builder::new()
            .prefix("sy-")
            .tempdir_in(short_temporary_directory())
            .expect("the temporary directory is writable");
        let root = directory.path().canonicalize().expect("it was just made");
        for name in ["home", "project", "fakes", "tools", "sockets"] {
            fs::create_dir(root.join(name)).expect("the root is empty");
        }
        tools::link_into(&root.join("tools"));
        let tmux = tools::on_this_machine("tmux").expect("tmux is needed: run scripts/setup");
        TestEnv { root, directory: Some(directory), tmux, terminals: AtomicUsize::new(0) }
    }

    /// Returns the directory of the environment.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns HOME.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns the state directory of symposium.
    pub fn state(&self) -> PathBuf {
        self.home().join(".symposium")
    }

    /// Returns the default working directory of programs.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Returns the socket of symposium's tmux server.
    pub fn socket(&self) -> PathBuf {
        let user = rustix::process::getuid().as_raw();
        self.root.join("sockets").join(format!("tmux-{user}")).join("symposium")
    }

    /// Runs our binary with these arguments.
    pub fn symposium<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.program(env!("CARGO_BIN_EXE_symposium"), args)
    }

    /// Runs a command line with a new terminal as its controlling terminal. `symposium` is our binary. The terminal
    /// is not a pane of tmux, and its output is standard output.
    pub fn in_new_terminal(&self, line: &str) -> Run {
        let line = line.replace("symposium ", &format!("{} ", self.binary()));
        self.program("script", ["-q", "-e", "-c", &line, "/dev/null"])
    }

    /// Runs a program with these arguments. A bare name is searched in the sealed PATH.
    pub fn program<S: AsRef<OsStr>>(&self, program: &str, args: impl IntoIterator<Item = S>) -> Run {
        let path = if program.contains('/') {
            PathBuf::from(program)
        } else {
            ["fakes", "tools"]
                .map(|dir| self.root.join(dir).join(program))
                .into_iter()
                .find(|file| file.exists())
                .unwrap_or_else(|| panic!("no `{program}` in the sealed PATH"))
        };
        let mut command = self.sealed(&path);
        command.args(args);
        Run::new(command)
    }

    /// Runs tmux on symposium's server.
    #[track_caller]
    pub fn tmux<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Outcome {
        self.tmux_on(&self.socket(), args).outcome()
    }

    /// Opens a terminal that runs this program.
    pub fn terminal<S: AsRef<OsStr>>(&self, argv: impl IntoIterator<Item = S>) -> Terminal<'_> {
        Terminal::open(self, argv, terminal::Around::Nothing)
    }

    /// Opens a terminal of this size, as columns and lines, that runs this program.
    pub fn terminal_sized<S: AsRef<OsStr>>(
        &self,
        size: (u16, u16),
        argv: impl IntoIterator<Item = S>,
    ) -> Terminal<'_> {
        Terminal::open_sized(self, argv, terminal::Around::Nothing, size)
    }

    /// Opens a terminal that is a pane of the user's own tmux and runs this program.
    pub fn terminal_in_tmux<S: AsRef<OsStr>>(&self, argv: impl IntoIterator<Item = S>) -> Terminal<'_> {
        Terminal::open(self, argv, terminal::Around::OwnTmux)
    }

    /// Returns the path of our binary, for programs in a terminal.
    pub fn binary(&self) -> &'static str {
        env!("CARGO_BIN_EXE_symposium")
    }

    /// Returns the link through which hooks start our binary.
    pub fn hook_program(&self) -> String {
        self.state().join("run/symposium").display().to_string()
    }

    /// Writes an executable `sh` script that comes first in PATH under this name.
    pub fn fake_program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.root.join("fakes").join(name);
        // Renamed into place: writing to a running program fails, and an incomplete one must never start.
        let unfinished = self.root.join(format!("{name}.unfinished"));
        let mut options = fs::OpenOptions::new();
        let mut out = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o755)
            .open(&unfinished)
            .expect("writing a fake");
        write!(out, "#!/bin/sh\n{script}\n").expect("writing a fake");
        drop(out);
        fs::rename(&unfinished, &file).expect("placing a fake");
        file
    }

    /// Removes a program from the sealed PATH, as if it were not installed.
    pub fn forget_program(&self, name: &str) {
        for dir in ["fakes", "tools"] {
            let _ = fs::remove_file(self.root.join(dir).join(name));
        }
    }

    /// Returns the registry on disk.
    #[track_caller]
    pub fn registry(&self) -> serde_json::Value {
        let file = self.state().join("agent-sessions.json");
        let text =
            fs::read_to_string(&file).unwrap_or_else(|why| panic!("cannot read {}: {why}", file.display()));
        serde_json::from_str(&text).unwrap_or_else(|why| panic!("the registry is not JSON: {why}\n{text}"))
    }

    /// Changes the registry directly, but under its lock: a hook may still be writing an earlier change.
    #[track_caller]
    pub fn edit_registry(&self, edit: impl FnOnce(&mut serde_json::Value)) {
        let lock =
            fs::File::open(self.state().join("agent-sessions.json.lock")).expect("it was written once");
        lock.lock().expect("locks work here");
        let mut registry = self.registry();
        edit(&mut registry);
        let new = self.state().join("agent-sessions.json.new");
        fs::write(&new, registry.to_string()).expect("the state can be written");
        fs::rename(new, self.state().join("agent-sessions.json")).expect("the state can be written");
    }

    /// Returns all live processes that were started in this environment.
    pub fn processes(&self) -> Vec<Process> {
        leftovers::with_home(&self.home())
    }

    /// Waits until the condition holds; panics with sessions and screens on a timeout.
    #[track_caller]
    pub fn wait_until(&self, what: &str, condition: impl FnMut() -> bool) {
        wait::until(what, condition, || self.report());
    }

    /// Returns the text with placeholders for varying values.
    pub fn redacted(&self, text: &str) -> String {
        redact::redacted(text, self.root.to_str().expect("a plain path"))
    }

    /// Runs the real tmux on one of this environment's servers.
    pub(super) fn tmux_on<S: AsRef<OsStr>>(&self, socket: &Path, args: impl IntoIterator<Item = S>) -> Run {
        let mut command = self.sealed(&self.tmux);
        command.arg("-u").arg("-S").arg(socket).args(args);
        // A hung server must not delay the end of a test.
        Run::new(command).within(Duration::from_secs(10))
    }

    /// Returns the socket of the next terminal.
    pub(super) fn next_terminal_socket(&self) -> PathBuf {
        self.terminal_socket(self.terminals.fetch_add(1, Ordering::Relaxed))
    }

    fn terminal_socket(&self, n: usize) -> PathBuf {
        self.root.join("sockets").join(format!("terminal-{n}"))
    }

    fn sealed(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let dir = |name: &str| self.root.join(name).display().to_string();
        command.env_clear().current_dir(self.project()).envs([
            ("HOME", dir("home")),
            ("PATH", format!("{}:{}", dir("fakes"), dir("tools"))),
            ("TMUX_TMPDIR", dir("sockets")),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("SHELL", "/bin/sh".to_owned()),
            ("USER", "tester".to_owned()),
            ("LOGNAME", "tester".to_owned()),
            ("TZ", "UTC".to_owned()),
            // Tests of the supervisor switch it on; the others use the tmux server alone.
            ("SYMPOSIUM_SUPERVISOR", "off".to_owned()),
        ]);
        // The output path of a build that measures coverage; it is not set otherwise.
        command.envs(std::env::vars_os().filter(|(name, _)| name == "LLVM_PROFILE_FILE"));
        command
    }

    /// Returns the registry, and the screens of agents and terminals, for a failure.
    pub fn report(&self) -> String {
        let file = self.state().join("agent-sessions.json");
        let registry = fs::read_to_string(file).unwrap_or_else(|why| why.to_string());
        let mut report = format!("registry:\n{registry}\n");
        if self.socket().exists() {
            report += &self.screens_on(&self.socket());
        } else {
            report += "no server was started\n";
        }
        for socket in (0..self.terminals.load(Ordering::Relaxed)).map(|n| self.terminal_socket(n)) {
            if socket.exists() {
                let name = socket.file_name().unwrap_or_default().to_string_lossy().into_owned();
                report += &format!("{name}: {}", self.screens_on(&socket));
            }
        }
        report
    }

    /// Returns the panes of a tmux server with their screens.
    fn screens_on(&self, socket: &Path) -> String {
        let format = "#{pane_id} #{session_name} dead=#{pane_dead} #{pane_dead_status} #{pane_current_command} \
                      title=#{pane_title}";
        let panes = self.tmux_on(socket, ["list-panes", "-a", "-F", format]).outcome();
        let mut text = format!("panes:\n{}{}", panes.stdout, panes.stderr);
        for pane in panes.stdout.lines().filter_map(|line| line.split(' ').next()) {
            let screen = self.tmux_on(socket, ["capture-pane", "-p", "-t", pane]).outcome();
            text += &format!("screen of {pane}:\n{}\n", screen.stdout.trim_end());
        }
        text
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A second panic while unwinding would abort and hide the first.
            let report = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.report()));
            eprintln!("{}kept: {}", report.unwrap_or_default(), self.root.display());
            if let Some(directory) = self.directory.take() {
                let _ = directory.keep();
            }
        }
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            if self.socket().exists() {
                self.tmux(["kill-server"]);
            }
        }));
        leftovers::end_all(&self.home());
    }
}
