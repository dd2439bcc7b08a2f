//! The count of waiting agents in the status line, the key that switches to them, and what a switch records.

use serde_json::json;

use super::{agent, shown, spawned, wait_for};
use crate::support::TestEnv;

/// Starts an agent that asks for approval of a command.
fn asking(env: &TestEnv, name: &str) {
    spawned(env, &["demo", "--name", name, "--task", "/ask make clean"]);
    wait_for(env, name, "waiting");
}

#[test]
fn the_status_line_counts_waiting_agents_and_a_key_visits_them() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "home", "--", "sh", "-c", "echo this is home; exec cat"]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "home"]);
    terminal.wait_for_text("this is home");
    assert!(!terminal.screen().contains("need"), "{}", terminal.screen());
    asking(&env, "first");
    terminal.wait_for_text("1 needs you (C-b n)");
    asking(&env, "second");
    terminal.wait_for_text("2 need you (C-b n)");
    terminal.keys(&["C-b", "n"]);
    terminal.wait_for_text(" first · waiting(approval)");
    terminal.wait_for_text("1 needs you");
    terminal.keys(&["C-b", "n"]);
    terminal.wait_for_text(" second · waiting(approval)");
    terminal.keys(&["C-b", "n"]);
    terminal.wait_for_text(" first · waiting(approval)");
    agent(&env, &["approve", "second"]).ok();
    env.wait_until("the count is hidden", || !terminal.screen().contains("needs you"));
    terminal.keys(&["C-b", "n"]);
    terminal.wait_for_text("no other agent needs you");
    agent(&env, &["approve", "first"]).ok();
    wait_for(&env, "first", "idle");
    terminal.keys(&["C-b", "n"]);
    terminal.wait_for_text("no agent needs you");
}

#[test]
fn switching_agents_by_key_records_attach_and_detach() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["--name", name, "--", "sh", "-c", &format!("echo this is {name}; exec cat")]);
    }
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    assert_eq!(shown(&env, "b")["last_attached"], json!(null));
    terminal.keys(&["C-b", ")"]);
    terminal.wait_for_text("this is b");
    env.wait_until("the attach to `b` is recorded", || shown(&env, "b")["last_attached"].is_string());
    env.wait_until("the detach from `a` is recorded", || {
        env.registry()["sessions"]["a"]["last_detached"].is_string()
    });
}

#[test]
fn list_keys_describes_our_keys() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let keys = env.tmux(["list-keys", "-N"]).ok().stdout;
    for (key, does) in [
        ("n", "Go to the next agent that needs you"),
        ("N", "Go to the next agent"),
        ("P", "Go to the previous agent"),
        ("D", "Open the dashboard"),
        ("s", "Choose an agent"),
        ("[", "Copy mode"),
    ] {
        assert!(
            keys.lines().any(|line| line.contains(&format!(" {key} ")) && line.ends_with(does)),
            "{keys}"
        );
    }
}
