//! A parent agent that spawns children, waits for them and reads their results.

use serde_json::json;

use super::{Client, demo};
use crate::support::TestEnv;

#[test]
fn a_parent_spawns_two_children_and_combines_their_results() {
    let env = TestEnv::new();
    demo(&env, "boss", "project", None);
    let mut boss = Client::of(&env, "boss");
    let mut waits = Vec::new();
    for fruit in ["apples", "pears"] {
        let spawned =
            boss.call("spawn_agent", json!({"task": format!("count the {fruit}"), "ephemeral": true}));
        assert_eq!(spawned["task"]["source"], "boss", "{spawned}");
        let id = spawned["task"]["id"].as_i64().expect("a number");
        waits.push(boss.send("tools/call", json!({"name": "wait_task", "arguments": {"id": id}})));
    }
    let mut results = Vec::new();
    for wait in waits {
        let output = boss.answer(wait).expect("it is over");
        assert_eq!(output["structuredContent"]["over"], true, "{output}");
        assert_eq!(output["structuredContent"]["task"]["state"], "done", "{output}");
        let text = output["content"][0]["text"].as_str().expect("a text").to_owned();
        results.push(text);
    }
    assert!(results[0].contains("count the apples") && results[1].contains("count the pears"), "{results:?}");
    env.wait_until("the children have ended", || {
        super::names(&boss.call("list_agents", json!({"all": true}))) == ["boss"]
    });
    let tasks = boss.call("task_status", json!({"all": true}));
    assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(2), "what came of it stays: {tasks}");
    let shown = boss.call("task_status", json!({"id": tasks["tasks"][0]["id"]}));
    assert!(shown["steps"].as_array().is_some_and(|steps| steps.len() >= 3), "{shown}");
}

#[test]
fn a_recap_reports_the_work_of_an_agent() {
    let env = TestEnv::new();
    demo(&env, "boss", "project", None);
    demo(&env, "kid", "project", Some("boss"));
    let mut boss = Client::of(&env, "boss");
    let added = boss.call("add_task", json!({"agent": "kid", "text": "say hello", "priority": "high"}));
    assert_eq!((&added["task"]["agent"], &added["task"]["priority"]), (&"kid".into(), &"high".into()));
    boss.call("wait_task", json!({"id": added["task"]["id"]}));
    let recap = boss.call("recap", json!({"name": "kid", "minutes": 5}));
    assert_eq!(recap["done"][0]["title"], "say hello", "{recap}");
    assert_eq!(boss.call("recap", json!({}))["name"], "boss");
}
