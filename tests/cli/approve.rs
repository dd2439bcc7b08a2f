//! `agent approve` and `agent deny`: the agent's own dialog is answered, and nothing is pressed where there is none.

use insta::assert_snapshot;

use super::{agent, printed, shown, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn approve_lets_the_agent_go_on() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask make clean"]);
    wait_for(&env, "a", "waiting");
    assert_eq!(shown(&env, "a")["reason"], "Bash: make clean");
    let outcome = agent(&env, &["approve", "a"]).ok();
    assert!(outcome.stderr.starts_with("approved in `a`: Bash: make clean; it is "), "{outcome:?}");
    wait_for(&env, "a", "idle");
    assert!(printed(&env, "a").contains("make clean"));
}

#[test]
fn deny_says_no() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask rm -rf build"]);
    wait_for(&env, "a", "waiting");
    let json = agent(&env, &["deny", "a", "--json"]).ok().json();
    assert_eq!((&json["answer"], &json["asked"]), (&"deny".into(), &"Bash: rm -rf build".into()));
    wait_for(&env, "a", "idle");
}

#[test]
fn nothing_is_pressed_where_nothing_is_asked() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    let outcome = agent(&env, &["approve", "a"]).fails(6);
    assert!(
        outcome.stderr.starts_with("error: agent `a` shows no approval dialog; nothing was pressed"),
        "{outcome:?}"
    );
    let screen = agent(&env, &["peek", "a"]).ok().stdout;
    assert!(
        screen.lines().any(|line| line.trim_end() == "❯"),
        "the composer is as empty as it was:\n{screen}"
    );
}

#[test]
fn a_command_has_no_dialog_that_we_know() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["deny", "a"]).fails(1);
    assert_snapshot!(outcome.stderr, @r"
    error: nothing is known about how to deny in `command`
      agent `a` is of that kind
    hint: answer it yourself: `symposium agent attach a`
    ");
    agent(&env, &["approve", "nobody"]).fails(3);
}
