//! The binary is moved or replaced while agents run: the hooks of agents and of tmux still start it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::TestEnv;
use crate::support::run::Run;

/// Copies our binary to a path of this test, which can move it.
fn binary_at(env: &TestEnv, dir: &str) -> PathBuf {
    let dir = env.root().join(dir);
    fs::create_dir(&dir).expect("the directory is new");
    let path = dir.join("symposium");
    // A hard link if the file system allows it, because a debug build is large.
    fs::hard_link(env.binary(), &path)
        .or_else(|_| fs::copy(env.binary(), &path).map(drop))
        .expect("the binary can be copied");
    path
}

/// Moves a binary into another directory.
fn move_binary(env: &TestEnv, from: &Path, dir: &str) -> PathBuf {
    let dir = env.root().join(dir);
    fs::create_dir(&dir).expect("the directory is new");
    let to = dir.join("symposium");
    fs::rename(from, &to).expect("both are in one directory");
    to
}

fn run(env: &TestEnv, binary: &Path, args: &[&str]) -> Run {
    env.program(binary.to_str().expect("a plain path"), args)
}

fn with_supervisor(env: &TestEnv, binary: &Path, args: &[&str]) -> Run {
    run(env, binary, args).env("SYMPOSIUM_SUPERVISOR", "on")
}

#[track_caller]
fn wait_for(env: &TestEnv, binary: &Path, name: &str, status: &str) {
    run(env, binary, &["agent", "wait", name, "--for", status, "--timeout", "20s"]).ok();
}

/// Returns the status in the registry, which only hooks and commands change.
fn noted_status(env: &TestEnv, name: &str) -> String {
    env.registry()["sessions"][name]["status"]["status"].as_str().unwrap_or_default().to_owned()
}

fn link(env: &TestEnv) -> PathBuf {
    env.state().join("run/symposium")
}

#[test]
fn hooks_work_after_the_binary_was_moved() {
    let env = TestEnv::new();
    let old = binary_at(&env, "old");
    run(&env, &old, &["agent", "spawn", "demo", "--name", "a"]).ok();
    wait_for(&env, &old, "a", "idle");
    let new = move_binary(&env, &old, "new");
    let sent = run(&env, &new, &["agent", "send", "a", "say hello", "--json"]).ok();
    assert!(sent.stdout.contains("the agent reported exactly this text"), "{sent:?}");
    assert_eq!(fs::read_link(link(&env)).expect("a link"), new);
    env.wait_until("the hook reports the end of the turn", || noted_status(&env, "a") == "idle");
}

#[test]
fn tasks_complete_after_the_binary_was_moved() {
    let env = TestEnv::new();
    let old = binary_at(&env, "old");
    with_supervisor(&env, &old, &["agent", "spawn", "demo", "--name", "a"]).ok();
    wait_for(&env, &old, "a", "idle");
    let new = move_binary(&env, &old, "new");
    with_supervisor(&env, &new, &["task", "add", "a", "say hello"]).ok();
    with_supervisor(&env, &new, &["task", "wait", "1", "--timeout", "20s"]).ok();
    let task = with_supervisor(&env, &new, &["task", "show", "1", "--json"]).ok().json();
    assert_eq!(task["state"], "done", "{task}");
}

#[test]
fn tmux_events_work_after_the_binary_was_moved() {
    let env = TestEnv::new();
    let old = binary_at(&env, "old");
    run(&env, &old, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let new = move_binary(&env, &old, "new");
    run(&env, &new, &["agent", "list"]).ok();
    let pid = env.registry()["sessions"]["a"]["pid"].as_i64().expect("a process").to_string();
    env.program("sh", ["-c", &format!("kill -9 {pid}")]).ok();
    env.wait_until("the exit is recorded", || noted_status(&env, "a") == "crashed");
}

#[test]
fn doctor_reports_a_dangling_link() {
    let env = TestEnv::new();
    let old = binary_at(&env, "old");
    run(&env, &old, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let new = move_binary(&env, &old, "new");
    let stdout = run(&env, &new, &["doctor"]).fails(1).stdout;
    let line = format!("BAD   hooks: {} leads to {}, which cannot", link(&env).display(), old.display());
    assert!(stdout.contains(&line), "{stdout}");
    run(&env, &new, &["agent", "list"]).ok();
    let stdout = run(&env, &new, &["doctor"]).outcome().stdout;
    assert!(!stdout.contains("hooks:"), "{stdout}");
}

#[test]
fn two_binaries_used_in_turn_receive_hooks_of_each_others_agents() {
    let env = TestEnv::new();
    let binaries = [binary_at(&env, "one"), binary_at(&env, "two")];
    for (binary, name) in binaries.iter().zip(["a", "b"]) {
        run(&env, binary, &["agent", "spawn", "demo", "--name", name]).ok();
    }
    for binary in binaries.iter().chain(&binaries) {
        for name in ["a", "b"] {
            wait_for(&env, binary, name, "idle");
            let sent = run(&env, binary, &["agent", "send", name, "say hello", "--json"]).ok();
            assert!(sent.stdout.contains("the agent reported exactly this text"), "{sent:?}");
        }
        assert_eq!(fs::read_link(link(&env)).expect("a link"), *binary);
    }
}

#[test]
fn only_user_commands_update_the_link() {
    let env = TestEnv::new();
    let [one, two] = ["one", "two"].map(|dir| binary_at(&env, dir));
    run(&env, &one, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    run(&env, &two, &["event", "client-detached", "--session=a"]).ok();
    run(&env, &two, &["agent", "list"]).env("SYMPOSIUM_AGENT_ID", "0").outcome();
    run(&env, &two, &["doctor"]).outcome();
    assert_eq!(fs::read_link(link(&env)).expect("a link"), one);
    run(&env, &two, &["agent", "list"]).ok();
    assert_eq!(fs::read_link(link(&env)).expect("a link"), two);
    fs::remove_file(&two).expect("the test made it");
    run(&env, &one, &["event", "client-detached", "--session=a"]).ok();
    assert_eq!(fs::read_link(link(&env)).expect("a link"), two, "an event never moves it");
}

#[test]
fn the_supervisor_repairs_the_link_to_its_moved_binary() {
    let env = TestEnv::new();
    super::configure(&env, "[supervisor]\nreconcile = \"1s\"\n");
    let old = binary_at(&env, "old");
    with_supervisor(&env, &old, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    env.wait_until("the supervisor is running", || {
        with_supervisor(&env, &old, &["supervisor", "status", "--json"]).ok().json()["running"] == true
    });
    let new = move_binary(&env, &old, "new");
    env.wait_until("the link leads to the binary", || fs::read_link(link(&env)).is_ok_and(|to| to == new));
}
