//! What becomes of a person's terminal when the tmux server dies under it, and what guards it until then.

use std::fs;
use std::path::PathBuf;

use super::{shown, spawned};
use crate::support::TestEnv;

/// A script that attaches to `a` and shows afterwards how the terminal treats lines.
fn script(env: &TestEnv) -> String {
    format!(
        "stty -g >{before}; {symposium} agent attach a; until [ -e {go} ]; do sleep 0.05; done; stty -g >{after}; \
         printf '\\033[2J\\033[H'; printf 'one\\ntwo\\nthree\\n'; exec sleep 1000",
        before = file(env, "before").display(),
        symposium = env.binary(),
        go = file(env, "go").display(),
        after = file(env, "after").display(),
    )
}

fn file(env: &TestEnv, name: &str) -> PathBuf {
    env.root().join(name)
}

/// The modes of a terminal, as `stty -g` writes them.
fn modes_of(env: &TestEnv, tty: &str) -> String {
    env.program("sh", ["-c", &format!("stty -g <{tty}")]).ok().stdout
}

fn read(env: &TestEnv, name: &str) -> String {
    fs::read_to_string(file(env, name)).unwrap_or_default()
}

/// The processes of terminal guards in this environment.
fn guards(env: &TestEnv) -> usize {
    env.processes().iter().filter(|one| one.command.contains(" terminal-guard ")).count()
}

#[test]
fn a_terminal_is_usable_after_the_tmux_server_was_killed() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
    let terminal = env.terminal(["sh", "-c", &script(&env)]);
    terminal.wait_for_text("this is a");
    let before = read(&env, "before");
    assert_ne!(modes_of(&env, &terminal.tty()), before, "an attached terminal is raw");
    env.wait_until("its guard runs", || guards(&env) == 1);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).stdout;
    env.program("sh", ["-c", &format!("kill -9 {server}")]).ok();
    env.wait_until("the terminal is as it was", || modes_of(&env, &terminal.tty()) == before);
    env.wait_until("its guard has ended", || guards(&env) == 0);
    // Neither mouse nor alternate screen.
    env.wait_until("the terminal obeys", || terminal.modes() == "0 0");
    fs::write(file(&env, "go"), "").expect("the directory is ours");
    terminal.wait_for_text("three");
    assert_eq!(terminal.screen(), "one\ntwo\nthree");
    assert_eq!(read(&env, "after"), before);
}

#[test]
fn the_guard_of_a_terminal_ends_with_a_detach_and_is_no_child_of_the_client() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
    let terminal = env.terminal(["sh", "-c", &script(&env)]);
    terminal.wait_for_text("this is a");
    env.wait_until("its guard runs", || guards(&env) == 1);
    let client = shown(&env, "a")["clients"][0]["pid"].as_i64().expect("a process");
    let children = fs::read_to_string(format!("/proc/{client}/task/{client}/children")).expect("the client");
    assert_eq!(children, "", "a terminal with a child process asks before it is closed");
    terminal.keys(&["C-b", "d"]);
    env.wait_until("its guard has ended", || guards(&env) == 0);
    fs::write(file(&env, "go"), "").expect("the directory is ours");
    terminal.wait_for_text("three");
    assert_eq!(terminal.screen(), "one\ntwo\nthree");
    assert_eq!(read(&env, "after"), read(&env, "before"));
}

#[test]
fn a_killed_client_leaves_no_guard() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
    let terminal = env.terminal(["sh", "-c", &script(&env)]);
    terminal.wait_for_text("this is a");
    env.wait_until("its guard runs", || guards(&env) == 1);
    let client = shown(&env, "a")["clients"][0]["pid"].as_i64().expect("a process");
    env.program("sh", ["-c", &format!("kill -9 {client}")]).ok();
    env.wait_until("its guard has ended", || guards(&env) == 0);
    env.wait_until("the server restores the terminal", || {
        modes_of(&env, &terminal.tty()) == read(&env, "before")
    });
}
