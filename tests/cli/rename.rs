//! `agent rename`: another name for the same agent, running or not.

use insta::assert_snapshot;

use super::{agent, printed, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn a_renamed_agent_keeps_running() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "old", "--task", "hello"]);
    wait_for(&env, "old", "idle");
    let before = shown(&env, "old");
    assert_eq!(agent(&env, &["rename", "old", "new"]).ok().stdout, "new\n");
    agent(&env, &["show", "old"]).fails(3);
    let after = shown(&env, "new");
    for same in ["id", "pid", "status", "conversation", "created_at"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    assert_eq!(env.tmux(["list-sessions", "-F", "#{session_name}"]).ok().stdout, "new\n");
    // The process still has the old name in its environment: hooks and transcript must find the new one.
    agent(&env, &["send", "new", "after the rename"]).ok();
    wait_for(&env, "new", "idle");
    assert_eq!(prompts(&env, "new"), ["hello", "after the rename"]);
    let log = printed(&env, "new");
    assert!(log.contains("You said: hello") && log.contains("after the rename"), "{log}");
    assert!(!env.state().join("instances/old").exists());
}

#[test]
fn exits_and_detaches_are_recorded_under_the_new_name() {
    let env = TestEnv::new();
    let script = "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 3";
    spawned(&env, &["--name", "old", "--", "sh", "-c", script]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "old"]);
    terminal.wait_for_text("up");
    agent(&env, &["rename", "old", "new"]).ok();
    terminal.wait_for_text(" new ");
    std::fs::write(env.project().join("go"), "").unwrap();
    wait_for(&env, "new", "crashed");
    assert_eq!(shown(&env, "new")["exit"]["code"], 3);
}

#[test]
fn a_renamed_stopped_agent_keeps_its_data_and_resumes() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "old", "--task", "remember the milk"]);
    wait_for(&env, "old", "idle");
    agent(&env, &["kill", "old"]).ok();
    let json = agent(&env, &["rename", "old", "new", "--json"]).ok().json();
    assert_eq!((&json["name"], &json["status"]), (&"new".into(), &"stopped".into()));
    assert!(printed(&env, "new").contains("remember the milk"));
    agent(&env, &["resume", "new"]).ok();
    wait_for(&env, "new", "idle");
    assert_eq!(prompts(&env, "new"), ["remember the milk"]);
}

#[test]
fn rename_frees_the_old_name_and_refuses_a_taken_one() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    assert_snapshot!(agent(&env, &["rename", "a", "b"]).fails(1).stderr, @"
    error: an agent named `b` already exists
    hint: attach to it with `symposium agent attach b`, or choose another name
    ");
    agent(&env, &["rename", "x", "y"]).fails(3);
    agent(&env, &["rename", "a", "a.b:c"]).fails(2);
    agent(&env, &["rename", "a", "a"]).ok();
    agent(&env, &["rename", "a", "c"]).ok();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    for name in ["a", "b", "c"] {
        assert_eq!(status(&env, name), "working", "{name}");
    }
}
