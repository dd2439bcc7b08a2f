//! What symposium costs against bare tmux, as ratios within one run: medians of interleaved calls on one server.
//!
//! A table for people, never a timed test: it exits 0 whatever it measures. Everything happens in a home and on a
//! tmux server of its own, which is ended through its own socket.
//! `--agents N` fills up to another number than 1,000; `--binary FILE` measures another symposium.
#![expect(clippy::disallowed_methods, reason = "a bench starts programs and looks at its own arguments")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints a table")]

mod bench;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench::{Row, Table, interleaved, median};
use symposium::model::AgentName;
use symposium::store::Store;
use tempfile::TempDir;

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut agents, mut binary) = (1000, beside_me("symposium"));
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--agents" => agents = args.next().and_then(|n| n.parse().ok()).expect("--agents N"),
            "--binary" => binary = args.next().expect("--binary FILE").into(),
            // cargo itself adds --bench.
            _ => {}
        }
    }
    let place = Place::new(binary);
    let mut table = Table::default();

    table.add(start(&place));
    place.symposium(&["agent", "spawn", "--name", "a1", "--", "sleep", "100000"]);
    table.add(list(&place, "1 agent", 1.5));
    let (spawn_at_one, kill_at_one) = spawn_and_kill(&place, "1 agent");
    let few = spawn_at_one.ours;
    table.add(spawn_at_one);
    table.add(kill_at_one);

    place.fill(agents);
    let label = format!("{agents} agents");
    table.add(list(&place, &label, 2.0));
    let (spawn_at_many, kill_at_many) = spawn_and_kill(&place, &label);
    let many = spawn_at_many.ours;
    table.add(spawn_at_many);
    table.add(kill_at_many);
    table.add(Row::ratio(format!("agent spawn, {label} vs 1"), (many, few), 2.0));
    table.add(lookup(&place, agents));

    println!("{table}");
}

/// A binary that was built together with this one.
fn beside_me(name: &str) -> PathBuf {
    std::env::current_exe().expect("our own path").with_file_name(name)
}

/// `--version` from process start to its end.
fn start(place: &Place) -> Row {
    let took = median((0..50).map(|_| place.symposium(&["--version"])));
    Row::bound("--version".to_owned(), took, Duration::from_millis(5))
}

/// `agent list` against `tmux list-panes -a`.
fn list(place: &Place, label: &str, limit: f64) -> Row {
    let took =
        interleaved(40, |_| place.symposium(&["agent", "list"]), |_| place.tmux(&["list-panes", "-a"]));
    Row::ratio(format!("agent list, {label}"), took, limit)
}

/// `agent spawn` against `tmux new-session -d`, and `agent kill` of the same against `tmux kill-session`.
fn spawn_and_kill(place: &Place, label: &str) -> (Row, Row) {
    const ROUNDS: usize = 20;
    let name = |round: usize| format!("s{round}");
    let bare = |round: usize| format!("bare{round}");
    let spawned = interleaved(
        ROUNDS,
        |round| place.symposium(&["agent", "spawn", "--name", &name(round), "--", "sleep", "1000"]),
        |round| place.tmux(&["new-session", "-d", "-s", &bare(round), "sleep", "1000"]),
    );
    let killed = interleaved(
        ROUNDS,
        |round| place.symposium(&["agent", "kill", &name(round)]),
        |round| place.tmux(&["kill-session", "-t", &format!("={}", bare(round))]),
    );
    // The record of a killed agent stays, and the next measurement wants the number it names.
    for round in 0..ROUNDS {
        place.symposium(&["agent", "rm", &name(round)]);
    }
    (
        Row::ratio(format!("agent spawn, {label}"), spawned, 2.0),
        Row::ratio(format!("agent kill, {label}"), killed, 3.0),
    )
}

/// Finding the last entry of the registry that the spawns have filled, inside this process.
fn lookup(place: &Place, agents: usize) -> Row {
    let store = Store::open(&place.root.path().join(".symposium")).expect("the spawns made it");
    let last = (1..=agents).map(|n| format!("a{n}")).max().expect("there is an agent");
    let name: AgentName = last.parse().expect("a valid name");
    let took = median((0..200).map(|_| {
        let began = Instant::now();
        let found = store.find(&name, jiff::Timestamp::now()).expect("the registry can be read");
        assert!(found.is_some(), "no {name} in the registry");
        began.elapsed()
    }));
    Row::bound(format!("registry lookup, {agents} agents"), took, Duration::from_millis(1))
}

/// A home and a tmux server of our own, both short-lived.
struct Place {
    root: TempDir,
    binary: PathBuf,
}

impl Place {
    fn new(binary: PathBuf) -> Place {
        // A socket's path must stay under 108 bytes.
        let root = tempfile::Builder::new().prefix("sy-").tempdir_in("/tmp").expect("a directory in /tmp");
        Place { root, binary }
    }

    fn socket(&self) -> PathBuf {
        let user = rustix::process::getuid().as_raw();
        self.root.path().join(format!("tmux-{user}")).join("symposium")
    }

    fn symposium(&self, args: &[&str]) -> Duration {
        let mut command = Command::new(&self.binary);
        command.args(args);
        self.timed(command)
    }

    fn tmux(&self, args: &[&str]) -> Duration {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.socket()).args(args);
        self.timed(command)
    }

    /// Runs it to its end in this place; it must succeed, or the numbers would mean nothing.
    fn timed(&self, mut command: Command) -> Duration {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.root.path())
            .env("TMUX_TMPDIR", self.root.path())
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .current_dir(self.root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let began = Instant::now();
        let output = command.output().unwrap_or_else(|why| panic!("cannot start {command:?}: {why}"));
        let took = began.elapsed();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        took
    }

    /// Spawns for real until there are this many agents.
    fn fill(&self, agents: usize) {
        let began = Instant::now();
        for n in 2..=agents {
            self.symposium(&["agent", "spawn", "--name", &format!("a{n}"), "--", "sleep", "100000"]);
            if n % 100 == 0 {
                eprintln!("{n} agents after {:.1?}", began.elapsed());
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.socket().exists() {
            let _ = Command::new("tmux").arg("-S").arg(self.socket()).arg("kill-server").status();
        }
    }
}
