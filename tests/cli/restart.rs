//! `agent restart`: an agent is ended and started again, with its conversation or a new one, while clients stay
//! attached.

use super::{agent, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn restart_keeps_the_conversation() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    let before = shown(&env, "a");
    let outcome = agent(&env, &["restart", "a"]).ok();
    assert_eq!(env.redacted(&outcome.stderr), "`a` continues conversation [UUID]\n");
    wait_for(&env, "a", "idle");
    let after = shown(&env, "a");
    assert_ne!(before["pid"], after["pid"]);
    for same in ["id", "conversation", "tmux"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    assert_eq!(prompts(&env, "a"), ["remember the milk"]);
}

#[test]
fn fresh_starts_a_new_conversation() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    let before = shown(&env, "a");
    agent(&env, &["restart", "--fresh", "a"]).ok();
    wait_for(&env, "a", "idle");
    assert_ne!(before["conversation"]["id"], shown(&env, "a")["conversation"]["id"]);
    assert_eq!(prompts(&env, "a"), [""; 0]);
}

#[test]
fn restart_keeps_clients_attached() {
    let env = TestEnv::new();
    let script = "echo \"run $(cat n 2>/dev/null)\"; echo again > n; exec sleep 1000";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("run");
    agent(&env, &["restart", "a"]).ok();
    terminal.wait_for_text("run again");
    assert_eq!(shown(&env, "a")["clients"].as_array().map(Vec::len), Some(1));
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn restart_starts_stopped_agents_and_ends_the_old_process_tree() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "setsid sleep 65432 & exec sleep 1000"]);
    let strays = || env.processes().iter().filter(|one| one.command == "sleep 65432").count();
    env.wait_until("the stray process exists", || strays() == 1);
    let first = env.processes().into_iter().find(|one| one.command == "sleep 65432").unwrap().pid;
    agent(&env, &["restart", "a"]).ok();
    env.wait_until("the new stray process exists", || {
        let all: Vec<_> = env.processes().into_iter().filter(|one| one.command == "sleep 65432").collect();
        all.len() == 1 && all[0].pid != first
    });
    agent(&env, &["kill", "a"]).ok();
    agent(&env, &["restart", "a"]).ok();
    assert_eq!(status(&env, "a"), "working");
    agent(&env, &["restart", "b"]).fails(3);
}
