//! `conversation list` and `agent resume --conversation`: one agent, several conversations.

use insta::assert_snapshot;

use super::{agent, prompts, shown, spawned, wait_for};
use crate::support::TestEnv;

fn list(env: &TestEnv, name: &str) -> serde_json::Value {
    env.symposium(["conversation", "list", name, "--json"]).ok().json()
}

#[test]
fn an_agent_switches_to_another_conversation_and_back() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    let stderr = agent(&env, &["resume", "a", "--conversation", "other"]).ok().stderr;
    assert_eq!(stderr, "`a` starts a new conversation, `other`\n");
    agent(&env, &["send", "a", "something else"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["something else"]);
    assert_eq!(shown(&env, "a")["conversation"]["name"], "other");
    assert_snapshot!(env.redacted(&env.symposium(["conversation", "list", "a"]).ok().stdout).replace(" 0s", " [DURATION]"), @"
    * other             [UUID]  current
      main              [UUID]  left [AGE] ago
    ");
    agent(&env, &["kill", "a"]).ok();
    let stderr = agent(&env, &["resume", "a", "--conversation", "main"]).ok().stderr;
    assert_eq!(env.redacted(&stderr), "`a` continues conversation [UUID]\n");
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "recall"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["remember the milk", "recall"]);
    let views = list(&env, "a");
    assert_eq!((&views[0]["name"], &views[0]["current"]), (&"main".into(), &true.into()));
    assert_eq!((&views[1]["name"], &views[1]["current"]), (&"other".into(), &false.into()));
    // After a fresh start the old conversation can still be resumed.
    let old = views[0]["id"].clone();
    agent(&env, &["restart", "a", "--fresh"]).ok();
    let views = list(&env, "a");
    assert_ne!(views[0]["id"], old);
    assert_eq!(views[1]["id"], old);
}

#[test]
fn spawn_can_name_the_first_conversation() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--conversation", "login", "--task", "hello"]);
    assert_eq!(shown(&env, "a")["conversation"]["name"], "login");
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    agent(&env, &["resume", "a", "--conversation", "login"]).ok();
    assert_eq!(list(&env, "a").as_array().unwrap().len(), 1);
}
