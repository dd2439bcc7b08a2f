//! `agent approve` and `agent deny` answer the agent's own dialog, and press no key when there is none.

use super::{agent, printed, shown, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn approve_lets_the_agent_continue() {
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
fn deny_rejects_the_question() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask rm -rf build"]);
    wait_for(&env, "a", "waiting");
    let json = agent(&env, &["deny", "a", "--json"]).ok().json();
    assert_eq!((&json["answer"], &json["asked"]), (&"deny".into(), &"Bash: rm -rf build".into()));
    wait_for(&env, "a", "idle");
}

#[test]
fn if_asks_answers_only_the_question_with_that_id() {
    let env = TestEnv::new();
    // Two texts that are equal beyond the length that a list shows.
    let long = |end: &str| format!("rm -rf a/{}/{end}", "x".repeat(200));
    spawned(&env, &["demo", "--name", "a", "--task", &format!("/ask {}", long("old"))]);
    wait_for(&env, "a", "waiting");
    let first = shown(&env, "a");
    assert_eq!(first["question"]["text"], format!("Bash: {}", long("old")));
    assert_eq!(first["question"]["extent"], "whole");
    let read = first["question"]["id"].as_str().expect("a text").to_owned();
    agent(&env, &["deny", "a", "--if-asks", &read]).ok();
    wait_for(&env, "a", "idle");
    agent(&env, &["approve", "a", "--if-asks", &read]).fails(6);
    agent(&env, &["send", "a", &format!("/ask {}", long("everything"))]).ok();
    wait_for(&env, "a", "waiting");
    let second = shown(&env, "a");
    assert_eq!(second["reason"], first["reason"], "cut, the two are the same");
    let outcome = agent(&env, &["approve", "a", "--if-asks", &read]).fails(6);
    assert!(
        outcome.stderr.starts_with("error: agent `a` now asks another question; nothing was pressed"),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains(&long("everything")), "{outcome:?}");
    assert_eq!(shown(&env, "a")["status"], "waiting");
    let now = second["question"]["id"].as_str().expect("a text");
    assert!(outcome.stderr.contains(&format!("symposium agent approve a --if-asks {now}")), "{outcome:?}");
    let outcome = agent(&env, &["approve", "a", "--if-asks", now]).ok();
    assert!(outcome.stderr.contains(&long("everything")), "what was approved is told whole: {outcome:?}");
    wait_for(&env, "a", "idle");
    assert_eq!(shown(&env, "a")["question"], serde_json::Value::Null);
}

#[test]
fn answer_chooses_an_option_and_refuses_others() {
    let env = TestEnv::new();
    agent(&env, &["answer"]).fails(3);
    spawned(&env, &["demo", "--name", "a", "--task", "/ask make clean"]);
    wait_for(&env, "a", "waiting");
    let dialog = agent(&env, &["answer", "a", "--json"]).ok().json();
    let labels: Vec<_> = dialog["options"].as_array().unwrap().iter().map(|one| &one["label"]).collect();
    assert_eq!(labels, ["Yes", "No"]);
    assert_eq!(dialog["question"]["text"], "Bash: make clean");
    let shown_to_users = agent(&env, &["answer", "a"]).ok().stdout;
    assert_eq!(shown_to_users, "  Bash: make clean\nDo you want to proceed?\n  1. Yes\n  2. No\n");
    let refused = agent(&env, &["answer", "a", "3"]).fails(2).stderr;
    assert!(refused.contains("`3` is not an option") && refused.contains("2. No"), "{refused}");
    let question = shown(&env, "a")["question"].clone();
    assert_eq!(question["options"], serde_json::json!(["1. Yes", "2. No"]));
    let id = question["id"].as_str().unwrap().to_owned();
    agent(&env, &["answer", "a", "no", "--if-asks", "another"]).fails(6);
    assert_eq!(shown(&env, "a")["status"], "waiting");
    agent(&env, &["answer", "a", "no", "--if-asks", &id]).ok();
    wait_for(&env, "a", "idle");
    assert!(!printed(&env, "a").contains("Ran"), "{}", printed(&env, "a"));
}

#[test]
fn approve_without_a_name_takes_the_only_agent_that_waits() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["demo", "--name", name, "--task", "/ask make clean"]);
        wait_for(&env, name, "waiting");
    }
    let refused = agent(&env, &["approve"]).fails(2).stderr;
    assert!(refused.contains("several agents match"), "{refused}");
    agent(&env, &["deny", "a", "--because", "use cargo instead"]).ok();
    env.wait_until("the agent received the reason", || {
        super::prompts(&env, "a").last().is_some_and(|prompt| prompt == "use cargo instead")
    });
    let stderr = agent(&env, &["approve"]).ok().stderr;
    assert!(stderr.contains("`b` asks:\n  Bash: make clean\n"), "{stderr}");
    wait_for(&env, "b", "idle");
}

#[test]
fn several_agents_are_answered_one_after_the_other() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["demo", "--name", name, "--task", &format!("/ask make {name}")]);
        wait_for(&env, name, "waiting");
    }
    let stderr = agent(&env, &["approve", "a", "b"]).ok().stderr;
    for name in ["a", "b"] {
        assert!(stderr.contains(&format!("`{name}` asks:\n  Bash: make {name}\n")), "{stderr}");
        wait_for(&env, name, "idle");
    }
}

#[test]
fn answer_at_a_terminal_applies_only_to_the_question_that_was_shown() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask make clean"]);
    wait_for(&env, "a", "waiting");
    let terminal = env.terminal([env.binary(), "agent", "answer", "a"]);
    terminal.wait_for_text("Bash: make clean");
    terminal.wait_for_text("2. No");
    agent(&env, &["deny", "a"]).ok();
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "/ask rm -rf build"]).ok();
    wait_for(&env, "a", "waiting");
    terminal.keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 6);
    assert_eq!(shown(&env, "a")["status"], "waiting");
}
