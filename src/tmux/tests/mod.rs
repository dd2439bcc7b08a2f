//! Tests of the tmux adapter against a real tmux. Each test has its own server, on a socket in a short directory, and
//! ends only that server.

mod activity;
mod bounds;
mod data;
mod display_message;
mod hooks;
mod input;
mod lifecycle;
mod protocol;
mod screen;
mod supervisor_session;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::launch::LaunchResult;
use super::*;
use crate::model::{AgentId, AgentName, AttachPolicy, LivePane, LiveServer, TmuxSnapshot};

/// A tmux server for one test.
struct TestServer {
    dir: tempfile::TempDir,
    tmux: Tmux,
}

/// Process that a test starts; all other parameters have default values.
struct TestLaunch<'a> {
    name: &'a str,
    id: AgentId,
    argv: Vec<String>,
    dir: PathBuf,
    env: Vec<(OsString, OsString)>,
    title: Option<&'a str>,
    pipe: Vec<String>,
    edges: ActivityReports,
}

impl TestServer {
    fn new() -> TestServer {
        TestServer::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut TmuxSetup)) -> TestServer {
        let dir = tempfile::Builder::new().prefix("sy").tempdir_in("/tmp").unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir_all(home.join("run")).unwrap();
        let mut setup = TmuxSetup {
            path: Some(path_var()),
            socket: SocketChoice { path: dir.path().join("s"), memory: None },
            run_dir: home.join("run"),
            user_conf: home.join("tmux.conf"),
            binary: PathBuf::from("/bin/true"),
            base_env: env(&[("PATH", path_var().to_str().unwrap()), ("HOME", "/"), ("LANG", "C.UTF-8")]),
            bound: Duration::from_secs(20),
            home,
        };
        change(&mut setup);
        TestServer { dir, tmux: Tmux::find(setup).unwrap() }
    }

    /// Starts a server that has another session, which tmux could fall back on.
    fn running() -> TestServer {
        let server = TestServer::new();
        server.start(&TestLaunch::new("bystander", &["sleep", "1000"]));
        server
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn start(&self, start: &TestLaunch<'_>) -> LaunchResult {
        self.try_start(start).unwrap()
    }

    fn try_start(&self, start: &TestLaunch<'_>) -> Result<LaunchResult, TmuxError> {
        start.launch(|launch| self.tmux.start(launch))
    }

    fn respawn(&self, start: &TestLaunch<'_>, pane: &str) -> Result<LaunchResult, TmuxError> {
        start.launch(|launch| self.tmux.respawn(launch, pane))
    }

    /// Runs a tmux command on the same socket.
    fn bare(&self, words: &[&str]) -> String {
        self.tmux.run_words("test", words).unwrap()
    }

    fn look(&self) -> LiveServer {
        match self.tmux.snapshot().unwrap() {
            TmuxSnapshot::Running(server) => server,
            TmuxSnapshot::NoServer => panic!("no server"),
        }
    }

    fn pane(&self, session: &str) -> Option<LivePane> {
        self.look().panes.into_iter().find(|pane| pane.session == session)
    }

    /// Returns the output of the pane after its process has ended.
    fn last_words(&self, session: &str) -> String {
        let pane = until("the process has ended", || self.pane(session).filter(|pane| pane.dead.is_some()));
        self.tmux.capture(&pane.pane, Capture::All).unwrap()
    }

    /// Runs a command line in a terminal of its own size on another server.
    fn terminal(&self, command: &str) -> TestServer {
        let outer = TestServer::new();
        let words = ["/bin/sh", "-c", command].map(str::to_owned).to_vec();
        outer.start(&TestLaunch { argv: words, ..TestLaunch::new("term", &["x"]) });
        outer
    }

    /// Returns the command line that attaches to a session of this server.
    fn attach_line(&self, session: &str, how: AttachAs) -> String {
        let words = self.tmux.attach_words(&entry(&name(session), how)).unwrap();
        let words = words.iter().map(|word| word.to_str().unwrap());
        let line = shlex::try_join(words).unwrap();
        format!("env -u TMUX {} {line}", self.tmux.program().display())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.tmux.run_words("test", &["kill-server"]);
    }
}

impl<'a> TestLaunch<'a> {
    fn new(name: &'a str, argv: &[&str]) -> TestLaunch<'a> {
        TestLaunch {
            name,
            id: AgentId::fresh(),
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            dir: PathBuf::from("/"),
            env: env(&[("PATH", path_var().to_str().unwrap()), ("HOME", "/"), ("LANG", "C.UTF-8")]),
            title: None,
            pipe: vec!["cat".to_owned()],
            edges: ActivityReports::Off,
        }
    }

    fn launch<T>(&self, run: impl FnOnce(&Launch<'_>) -> T) -> T {
        run(&Launch {
            name: &name(self.name),
            id: self.id,
            title: self.title,
            argv: &self.argv,
            dir: &self.dir,
            env: LaunchEnv::Given(&self.env),
            record: &format!("{{\"name\":\"{}\",\"title\":\"é | \\\\ $\"}}", self.name),
            pipe: &self.pipe,
            size: (120, 30),
            edges: self.edges,
            meanwhile: None,
        })
    }
}

fn entry(session: &AgentName, how: AttachAs) -> AttachEntry<'_> {
    let policy = AttachPolicy::SingleDriver;
    let now = jiff::Timestamp::UNIX_EPOCH;
    AttachEntry {
        session,
        how,
        policy,
        user: "guest",
        owner: None,
        host: None,
        arrival: JoinReason::New,
        from: None,
        now,
        cover: None,
        around: AttachSurroundings::Terminal,
    }
}

fn name(text: &str) -> AgentName {
    text.parse().unwrap()
}

fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(key, value)| (key.into(), value.into())).collect()
}

#[expect(clippy::disallowed_methods, reason = "tests run the tmux that their caller would run")]
fn path_var() -> OsString {
    std::env::var_os("PATH").unwrap()
}

/// Repeats the question until it has an answer. Each question starts a process or reads a file, which paces the loop.
fn until<T>(what: &str, mut question: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(answer) = question() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::yield_now();
    }
}

/// Waits until the file contains this text, and returns its contents.
fn file_with(path: &Path, part: &str) -> String {
    until(part, || std::fs::read_to_string(path).ok().filter(|text| text.contains(part)))
}
