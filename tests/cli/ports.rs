//! Port ranges of worktrees: each worktree has its own, and keeps it.

use std::fs;

use super::workspace::repository;
use super::{agent, printed};
use crate::support::TestEnv;

const PRINT: &str = "echo ports $SYMPOSIUM_PORT $SYMPOSIUM_PORT_1 $SYMPOSIUM_PORT_9.; exec sleep 1000";

#[track_caller]
fn spawn(env: &TestEnv, name: &str, workspace: &str) {
    agent(env, &["spawn", "--name", name, "--workspace", workspace, "--", "sh", "-c", PRINT]).ok();
}

/// Returns the first port that a shell in the workspace of an agent sees.
#[track_caller]
fn port(env: &TestEnv, name: &str) -> u16 {
    let shell = agent(env, &["shell", name, "--", "sh", "-c", "echo $SYMPOSIUM_PORT"]).ok();
    shell.stdout.trim().parse().unwrap_or_else(|_| panic!("{shell:?}"))
}

#[test]
fn each_worktree_has_ports_of_its_own_and_keeps_them() {
    let env = repository();
    fs::create_dir_all(env.state()).unwrap();
    fs::write(env.state().join("config.toml"), "[workspace]\nsetup = ['echo $SYMPOSIUM_PORT > ports']\n")
        .unwrap();
    spawn(&env, "a", "worktree");
    spawn(&env, "b", "worktree");
    let (first, second) = (port(&env, "a"), port(&env, "b"));
    assert!(first.abs_diff(second) >= 10, "{first} {second}");
    let line = format!("ports {first} {} {}.", first + 1, first + 9);
    env.wait_until("the agent printed its ports", || printed(&env, "a").contains(&line));
    let from_setup = fs::read_to_string(super::workspace::workspace(&env, "a").join("ports")).unwrap();
    assert_eq!(from_setup.trim(), first.to_string());
    agent(&env, &["restart", "a"]).ok();
    assert_eq!(port(&env, "a"), first);
    // The ports move with a renamed agent, and its old name gets others.
    agent(&env, &["rename", "a", "c"]).ok();
    let spawn_again = ["spawn", "--name", "a", "--workspace", "worktree", "--branch", "again", "--"];
    agent(&env, &[&spawn_again[..], &["sh", "-c", PRINT]].concat()).ok();
    assert_eq!(port(&env, "c"), first);
    assert!(port(&env, "a").abs_diff(first) >= 10);
    // An agent in place has no ports.
    spawn(&env, "here", "in-place");
    env.wait_until("the agent printed its ports", || printed(&env, "here").contains("ports ."));
}
