//! `agent approve` and `agent deny` answer the agent's own dialog, and press no key when there is none.

use insta::assert_snapshot;

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
fn a_repeated_question_has_a_new_id() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask ls"]);
    wait_for(&env, "a", "waiting");
    let read = shown(&env, "a")["question"]["id"].as_str().expect("a text").to_owned();
    agent(&env, &["approve", "a"]).ok();
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "/ask ls"]).ok();
    wait_for(&env, "a", "waiting");
    agent(&env, &["deny", "a", "--if-asks", &read]).fails(6);
    assert_eq!(shown(&env, "a")["status"], "waiting");
}

/// Codex has no hook that reports a dialog.
#[test]
fn a_new_dialog_on_the_screen_is_a_new_question() {
    let env = TestEnv::new();
    let next = env.root().join("next");
    let screen = r"\033[2J\033[H  Would you like to run the following command?\n\n  $ %s\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel\n";
    let script = format!(
        "printf '{screen}' 'touch one'\nuntil [ -e '{next}' ]; do sleep 0.1; done\nprintf '{screen}' 'rm two'\nexec sleep 1000",
        next = next.display()
    );
    env.fake_program("codex", &script);
    spawned(&env, &["codex", "--name", "a"]);
    wait_for(&env, "a", "waiting");
    let first = shown(&env, "a");
    assert_eq!(first["question"]["extent"], "brief", "{first}");
    assert!(first["question"]["text"].as_str().is_some_and(|text| text.ends_with("$ touch one")), "{first}");
    let read = first["question"]["id"].as_str().expect("a text").to_owned();
    std::fs::write(&next, "").unwrap();
    env.wait_until("the next dialog is shown", || {
        agent(&env, &["peek", "a"]).ok().stdout.contains("$ rm two")
    });
    let outcome = agent(&env, &["approve", "a", "--if-asks", &read]).fails(6);
    assert!(outcome.stderr.contains("now asks another question"), "{outcome:?}");
    assert!(outcome.stderr.contains("$ rm two"), "{outcome:?}");
    assert!(!outcome.stderr.contains(&read), "{outcome:?}");
}

#[test]
fn approve_presses_no_key_without_a_dialog() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    let outcome = agent(&env, &["approve", "a"]).fails(6);
    assert!(
        outcome
            .stderr
            .starts_with("error: agent `a` shows no dialog that can be answered; nothing was pressed"),
        "{outcome:?}"
    );
    let screen = agent(&env, &["peek", "a"]).ok().stdout;
    assert!(
        screen.lines().any(|line| line.trim_end() == "❯"),
        "the composer is as empty as it was:\n{screen}"
    );
}

#[test]
fn deny_is_refused_for_a_plain_command() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["deny", "a"]).fails(1);
    assert_snapshot!(outcome.stderr, @r"
    error: symposium does not know how to deny in `command`
      agent `a` is of that kind
    hint: answer it yourself: `symposium agent attach a`
    ");
    agent(&env, &["approve", "nobody"]).fails(3);
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
