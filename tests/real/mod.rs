//! The real Claude Code and the real Codex, run by symposium against a scripted model on loopback: no account, no
//! network, dummy keys only. `scripts/real-clis` installs them.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says why")]

mod claude;
mod codex;
mod dashboard;
mod delegation;
mod endpoint;
mod fork;
mod handoff;
mod http;
mod messages;
mod opencode;
mod responses;
mod script;

use std::fs;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::TestEnv;
use endpoint::Endpoint;

/// A loaded machine may take long to start a program of 300 MB.
const PATIENCE: &str = "50s";

/// One CLI in its own environment, with its own model.
struct Real {
    env: TestEnv,
    model: Endpoint,
    /// The variables that it gets by `--env`.
    variables: Vec<String>,
}

impl Real {
    /// Prepares a CLI. Returns `None` and prints the reason if the program is not available.
    fn new(name: &str, below_node_modules: &str) -> Option<Real> {
        let program = installed(name, below_node_modules)?;
        let env = TestEnv::new();
        symlink(program, env.root().join("fakes").join(name)).expect("linking the program");
        let mut private = fs::DirBuilder::new();
        private.mode(0o700).create(env.state()).expect("a state directory");
        // All connections that would leave this machine fail at once.
        let variables = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
            .map(|key| format!("{key}=http://127.0.0.1:9"));
        let mut variables = variables.to_vec();
        variables.extend(["NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"].map(str::to_owned));
        Some(Real { env, model: Endpoint::open(), variables })
    }

    /// Starts an agent called `a`.
    #[track_caller]
    fn spawn(&self, kind: &str, task: &str) {
        self.spawn_as("a", kind, task);
    }

    /// Starts an agent of another name.
    #[track_caller]
    fn spawn_as(&self, name: &str, kind: &str, task: &str) {
        let mut args =
            vec!["agent", "spawn", kind, "--name", name, "--restart", "on-failure", "--task", task];
        for variable in &self.variables {
            args.extend(["--env", variable]);
        }
        self.env.symposium(args).ok();
    }

    /// Runs `symposium agent VERB a …`.
    #[track_caller]
    fn agent(&self, verb: &str, more: &[&str]) -> String {
        let outcome = self.env.symposium(["agent", verb, "a"].iter().chain(more)).outcome();
        assert_eq!(outcome.code, 0, "{outcome:?}\n{}", self.env.report());
        outcome.stdout
    }

    /// Waits for a status, and returns its reason.
    #[track_caller]
    fn reason_when(&self, status: &str) -> String {
        self.agent("wait", &["--for", status, "--timeout", PATIENCE]);
        let shown = self.shown();
        assert_eq!(shown["status"], status, "{shown}");
        shown["reason"].as_str().expect("a reason is a text").to_owned()
    }

    /// Waits until it is idle with this last reply; it may be idle with other replies before.
    #[track_caller]
    fn wait_for_words(&self, words: &str) {
        self.wait_for_words_of("a", words);
    }

    /// Waits until the agent of this name is idle with this last reply.
    #[track_caller]
    fn wait_for_words_of(&self, name: &str, words: &str) {
        // The first wait is as long as a start may take.
        self.env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", PATIENCE]).ok();
        self.env.wait_until(&format!("the last words of {name} are {words:?}"), || {
            let shown = self.env.symposium(["agent", "show", name, "--json"]).ok().json();
            shown["status"] == "idle" && shown["reason"] == words
        });
    }

    /// Waits until it has delegated and its children have reported, each step for as long as a loaded machine needs.
    #[track_caller]
    fn wait_for_delegation(&self) {
        self.agent("wait", &["--for", "working", "--timeout", PATIENCE]);
        for task in ["1", "2"] {
            let is_there = || self.env.symposium(["task", "show", task]).outcome().code == 0;
            self.env.wait_until(&format!("there is task {task}"), is_there);
            self.env.symposium(["task", "wait", task, "--timeout", PATIENCE]).ok();
        }
    }

    /// Waits until its conversation is on disk: it writes its last reply a moment after it has reported it, and an
    /// agent that is killed earlier has nothing to continue with.
    #[track_caller]
    fn wait_until_kept(&self, below_home: &str, words: &str) {
        let mentions =
            |file: &PathBuf| fs::read(file).is_ok_and(|text| String::from_utf8_lossy(&text).contains(words));
        let dir = self.env.home().join(below_home);
        self.env.wait_until("the conversation is on disk", || files_below(&dir).iter().any(mentions));
    }

    #[track_caller]
    fn shown(&self) -> Value {
        serde_json::from_str(&self.agent("show", &["--json"])).expect("JSON")
    }

    #[track_caller]
    fn wait_for_screen(&self, text: &str) {
        self.env.wait_until(&format!("its screen shows {text:?}"), || self.agent("peek", &[]).contains(text));
    }

    /// Kills a process of this environment with SIGKILL.
    #[track_caller]
    fn kill_9(&self, pid: i32) {
        let home = format!("HOME={}\0", self.env.home().display());
        let environ = fs::read_to_string(format!("/proc/{pid}/environ")).expect("the program is running");
        assert!(environ.contains(&home), "process {pid} is not of this test");
        kill_process(Pid::from_raw(pid).expect("a pid"), Signal::KILL).expect("it belongs to this user");
    }

    #[track_caller]
    fn pid(&self) -> i32 {
        self.shown()["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("the program is running")
    }

    /// Kills its process, which must be recorded as a crash.
    #[track_caller]
    fn crash(&self) {
        self.kill_9(self.pid());
        assert_eq!(self.reason_when("crashed"), "it ended with signal 9");
    }

    /// Starts a supervisor, and waits until it has restarted the agent.
    #[track_caller]
    fn wait_for_restart(&self) {
        self.env.symposium(["supervisor", "start"]).ok();
        self.env.wait_until("the agent was restarted", || self.shown()["restart"]["count"] == 1);
        self.agent("wait", &["--for", "idle", "--timeout", PATIENCE]);
    }

    /// Ends the tmux server, so that the agent is lost.
    #[track_caller]
    fn lose_the_server(&self) {
        let (own, server) = (self.pid(), self.env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout);
        self.kill_9(server.trim().parse().expect("a pid"));
        // The process takes some time to exit after its terminal is gone, and is not restored before.
        self.env
            .wait_until("the process has exited", || self.env.processes().iter().all(|one| one.pid != own));
        assert_eq!(self.shown()["status"], "lost");
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Returns the path of the program, or `None` if there is no package of it.
fn installed(name: &str, below_node_modules: &str) -> Option<PathBuf> {
    has_packages(name).then_some(())?;
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-clis/node_modules");
    let program = modules.join(below_node_modules);
    assert!(program.is_file(), "{} is not there: run scripts/setup", program.display());
    Some(program)
}

/// Returns whether `scripts/real-clis` installs packages on this machine, and prints so if it does not.
fn has_packages(name: &str) -> bool {
    let has = cfg!(all(target_arch = "x86_64", target_env = "gnu"));
    if !has {
        eprintln!("skipped: there is no package of {name} for this machine");
    }
    has
}
