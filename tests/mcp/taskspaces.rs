//! The tools that older versions of Symposium had.

use std::fs;

use serde_json::{Value, json};

use super::{Client, shown, symposium};
use crate::cli::workspace::{repository, workspace};
use crate::support::TestEnv;

fn file(env: &TestEnv, name: &str) -> Value {
    let text = fs::read_to_string(workspace(env, name).join("taskspace.json")).expect("a taskspace");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn a_taskspace_is_created_updated_and_removed_through_tools() {
    let env = repository();
    symposium(&env, &["agent", "spawn", "demo", "--name", "boss"]).ok();
    let mut boss = Client::of(&env, "boss");
    let made = boss.call(
        "spawn_taskspace",
        json!({"name": "fix", "description": "mend the login", "initial_prompt": "say hello", "spec": "demo"}),
    );
    assert_eq!(
        (&made["agent"]["branch"], &made["agent"]["parent"]),
        (&"symposium/fix".into(), &"boss".into())
    );
    assert_eq!(file(&env, "fix")["description"], "mend the login");
    let over = boss.call("wait_task", json!({"id": made["task"]["id"]}));
    assert!(over["task"]["result"].as_str().unwrap().contains("say hello"), "{over}");

    let mut fix = Client::of(&env, "fix");
    assert_eq!(
        super::names(&fix.call("list_agents", json!({}))),
        ["boss", "fix"],
        "a worktree is of the project"
    );
    fix.call("board_set", json!({"key": "k", "value": "v"}));
    assert_eq!(boss.call("board_get", json!({"key": "k"}))["value"], "v", "and shares its board");
    for category in ["info", "warn", "error", "milestone"] {
        let noted = fix.call("log_progress", json!({"message": "halfway", "category": category}));
        assert_eq!(noted, json!({"noted_in": "the log of taskspace fix", "asked": null}));
    }
    fix.call("log_progress", json!({"message": "which one?", "category": "question"}));
    let texts: Vec<Value> =
        file(&env, "fix")["log"].as_array().unwrap().iter().map(|e| e["text"].clone()).collect();
    assert_eq!(
        texts[1..],
        ["info: halfway", "warn: halfway", "error: halfway", "milestone: halfway", "question: which one?"]
    );
    let mail = boss.call("read_messages", json!({"all": true}));
    assert_eq!(
        (&mail["messages"][0]["from"], &mail["messages"][0]["text"]),
        (&"fix".into(), &"which one?".into())
    );

    let output = fix.call("update_taskspace", json!({"title": "Login", "description": "mend it well"}));
    assert_eq!(output["description"], "mend it well");
    assert_eq!(
        (&file(&env, "fix")["description"], &shown(&env, "fix")["title"]),
        (&"mend it well".into(), &"Login".into())
    );
    assert_eq!(file(&env, "fix")["log"].as_array().map(Vec::len), Some(6), "the rest of it stays");

    let request = fix.call("delete_taskspace", json!({}));
    assert_eq!(request, json!({"deleted": false, "asked": "parent"}));
    assert!(workspace(&env, "fix").exists());
    fs::write(workspace(&env, "fix").join("work"), "x").unwrap();
    assert_eq!(boss.fails("delete_taskspace", json!({"name": "fix"}))["code"], "work-there");
    fs::remove_file(workspace(&env, "fix").join("work")).unwrap();
    assert_eq!(boss.call("delete_taskspace", json!({"name": "fix"}))["deleted"], true);
    assert!(!workspace(&env, "fix").exists());
    assert_eq!(
        boss.fails("delete_taskspace", json!({}))["code"],
        "workspace",
        "it is not a taskspace itself"
    );
}

#[test]
fn progress_of_an_agent_without_a_taskspace_is_on_the_board() {
    let env = TestEnv::new();
    super::demo(&env, "a", "project", None);
    let mut a = Client::of(&env, "a");
    a.call("log_progress", json!({"message": "one"}));
    let noted = a.call("log_progress", json!({"message": "two?", "category": "question"}));
    assert_eq!(noted, json!({"noted_in": "log/a on the board", "asked": "person"}));
    let log = a.call("board_get", json!({"key": "log/a"}))["value"].as_str().unwrap().to_owned();
    let lines: Vec<&str> =
        log.lines().filter_map(|line| line.split_once(' ')).map(|(_, text)| text).collect();
    assert_eq!(lines, ["info: one", "question: two?"]);
}
