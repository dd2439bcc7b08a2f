//! Measures the cost of checkpoints: taking one of a large working tree, and the hook that starts it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::place::Place;
use crate::table::{Row, Table, interleaved, median};

/// Number of files in the working tree.
const FILES: usize = 10_000;
/// Number of files that change before each checkpoint.
const CHANGED: usize = 20;
const ROUNDS: usize = 20;
/// The goal for one checkpoint.
const BOUND: Duration = Duration::from_millis(150);

/// Runs all measurements.
pub fn run(binary: PathBuf) {
    let place = Place::new(binary);
    let mut table = Table::new();
    let (tree, outside) = (place.root().join("tree"), place.root().join("outside"));
    fs::create_dir(&outside).expect("a directory");
    fill(&tree, place.root());
    for (name, dir) in [("inside", &tree), ("outside", &outside)] {
        let dir = dir.to_str().expect("a path in UTF-8");
        place.symposium(&["agent", "spawn", "demo", "--name", name, "--dir", dir]);
        place.symposium(&["agent", "wait", name, "--for", "idle", "--timeout", "60s"]);
    }
    let id = id_of(&place, "inside");
    let taken = median((0..ROUNDS).map(|round| {
        change(&tree, round);
        place.symposium(&["take-checkpoint", "inside", &id])
    }));
    let what = format!("checkpoint, {FILES} files, {CHANGED} changed");
    table.add(Row::bound(what, taken, BOUND));
    let unchanged = median((0..ROUNDS).map(|_| place.symposium(&["take-checkpoint", "inside", &id])));
    table.add(Row::told("  the same without a change".into(), unchanged));
    let ids = [id, id_of(&place, "outside")];
    let hooks = interleaved(
        ROUNDS,
        |_| prompt_hook(&place, "inside", &ids[0]),
        |_| prompt_hook(&place, "outside", &ids[1]),
    );
    table.add(Row::compared("prompt hook, with vs without a checkpoint".into(), hooks));
    println!("{table}");
}

/// Creates a repository with all files committed.
fn fill(tree: &Path, home: &Path) {
    for n in 0..FILES {
        let dir = tree.join(format!("dir{}", n / 100));
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(dir.join(format!("file{n}.txt")), format!("{n}\n").repeat(200)).expect("a file");
    }
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
        let mut git = Command::new("git");
        git.args(identity).args(args).current_dir(tree).env("HOME", home);
        assert!(git.status().expect("git").success(), "{args:?}");
    }
}

/// Changes some files, others in each round.
fn change(tree: &Path, round: usize) {
    for n in (0..CHANGED).map(|n| (round * CHANGED + n) * 37 % FILES) {
        let file = tree.join(format!("dir{}/file{n}.txt", n / 100));
        fs::write(file, format!("{round}\n").repeat(200)).expect("a file");
    }
}

fn id_of(place: &Place, name: &str) -> String {
    let output = place.command(&["agent", "show", name, "--json"]).output().expect("an agent");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = text.split_once("\"id\":").expect("an id");
    rest.split('"').nth(1).expect("an id").to_owned()
}

/// Reports a prompt as the hook of an agent does.
fn prompt_hook(place: &Place, name: &str, id: &str) -> Duration {
    let payload = r#"{"hook_event_name":"UserPromptSubmit","prompt":"hello"}"#;
    let mut hook = place.command(&["event", "agent", payload]);
    hook.env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id);
    let began = Instant::now();
    assert!(hook.status().expect("the hook").success());
    began.elapsed()
}
