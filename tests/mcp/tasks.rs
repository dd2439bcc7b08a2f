//! Tasks through tools: waiting with progress while other calls continue, and reports of the agent that has the task.

use serde_json::{Value, json};

use super::{Client, demo, shown, symposium};
use crate::support::TestEnv;

/// Starts a parent and a child with a task that takes longer than any test.
fn at_work(env: &TestEnv) -> (Client, Client, Value) {
    demo(env, "boss", "project", None);
    demo(env, "kid", "project", Some("boss"));
    let mut boss = Client::of(env, "boss");
    let task = boss.call("add_task", json!({"agent": "kid", "text": "/work 10m"}))["task"]["id"].take();
    env.wait_until("the child works on its task", || shown(env, "kid")["task"]["id"] == task);
    let kid = Client::of(env, "kid");
    (boss, kid, task)
}

#[test]
fn a_wait_reports_progress_and_does_not_block_other_calls() {
    let env = TestEnv::new();
    let (mut boss, mut kid, task) = at_work(&env);
    let wait = json!({"name": "wait_task", "arguments": {"id": task}, "_meta": {"progressToken": "w1"}});
    let waits = boss.send("tools/call", wait);
    let text = boss.hear(|message| message["method"] == "notifications/progress");
    assert_eq!(text["params"]["progressToken"], "w1");
    assert!(text["params"]["message"].as_str().unwrap().contains("is running"), "{text}");
    assert_eq!(
        kid.call("report_progress", json!({"percent": 40, "note": "tests green"}))["task"]["id"],
        task
    );
    let text = boss.hear(|message| message["params"]["progress"] == 40.0);
    assert!(text["params"]["message"].as_str().unwrap().contains("40% (tests green)"), "{text}");
    assert_eq!(shown(&env, "kid")["task"]["progress"]["percent"], 40);
    // Other calls are answered meanwhile, and another wait has its own timeout.
    boss.call("list_agents", json!({}));
    let early = boss.call("wait_task", json!({"id": task, "timeout_s": 0}));
    assert_eq!((&early["over"], &early["task"]["state"]), (&false.into(), &"running".into()));
    let ended = kid.call("complete_task", json!({"result": "all\nis well"}));
    assert_eq!(ended["task"]["state"], "done");
    let output = boss.answer(waits).expect("it is over");
    assert_eq!(output["structuredContent"]["task"]["result"], "all\nis well");
    assert!(output["content"][0]["text"].as_str().unwrap().ends_with("result:\nall\nis well"), "{output}");
    let numbers: Vec<f64> =
        boss.kept.iter().filter_map(|message| message["params"]["progress"].as_f64()).collect();
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
}

#[test]
fn a_task_is_completed_once_by_its_agent_or_an_ancestor() {
    let env = TestEnv::new();
    let (mut boss, mut kid, task) = at_work(&env);
    demo(&env, "neighbour", "project", None);
    let mut neighbour = Client::of(&env, "neighbour");
    assert_eq!(neighbour.call("task_status", json!({"id": task}))["state"], "running", "it may look");
    let failed = neighbour.fails("complete_task", json!({"id": task, "result": "x"}));
    assert_eq!(failed["code"], "out-of-place");
    assert_eq!(neighbour.fails("complete_task", json!({"result": "x"}))["code"], "no-task");
    assert_eq!(neighbour.fails("report_progress", json!({"percent": 1}))["code"], "no-task");
    boss.call("report_progress", json!({"id": task, "percent": 10}));
    let ended = kid.call("complete_task", json!({"result": "the tools are missing", "failed": true}));
    assert_eq!(
        (&ended["task"]["state"], &ended["task"]["why"]),
        (&"failed".into(), &"the tools are missing".into())
    );
    assert_eq!(kid.fails("complete_task", json!({"result": "x"}))["code"], "no-task");
    let over = boss.call("wait_task", json!({"id": task}));
    assert_eq!((&over["over"], &over["task"]["state"]), (&true.into(), &"failed".into()));
}

#[test]
fn a_cancelled_or_abandoned_wait_ends() {
    let env = TestEnv::new();
    let (mut boss, mut kid, task) = at_work(&env);
    let id = boss.send("tools/call", json!({"name": "wait_task", "arguments": {"id": task}}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    boss.say(&cancel);
    assert_eq!(boss.call("wait_task", json!({"id": task, "timeout_s": 0}))["over"], false);
    kid.call("complete_task", json!({"result": "done"}));
    assert_eq!(boss.call("wait_task", json!({"id": task}))["over"], true);
    assert!(!boss.kept.iter().any(|message| message["id"] == id), "the cancelled call gets no answer");
    // The server ends when its client disconnects during a wait.
    let other =
        boss.call("add_task", json!({"agent": "kid", "text": "later", "after": []}))["task"]["id"].take();
    boss.send("tools/call", json!({"name": "wait_task", "arguments": {"id": other}}));
    assert_eq!(boss.talk.finish(), Some(0));
}

#[test]
fn a_wait_ends_at_a_question_and_can_be_resumed() {
    let env = TestEnv::new();
    demo(&env, "boss", "project", None);
    demo(&env, "kid", "project", Some("boss"));
    let mut boss = Client::of(&env, "boss");
    let task =
        boss.call("add_task", json!({"agent": "kid", "text": "/ask make install"}))["task"]["id"].take();
    let question = boss.call("wait_task", json!({"id": task}));
    assert_eq!((&question["over"], &question["task"]["state"]), (&false.into(), &"running".into()));
    let asks = question["waits_for"].as_str().expect("it asks").to_owned();
    assert!(asks.starts_with("`kid` waits for approval: ") && asks.contains("make install"), "{asks}");
    // The question is not reported twice, because a model would ask again and again.
    let again = boss.send("tools/call", json!({"name": "wait_task", "arguments": {"id": task}}));
    assert_eq!(boss.call("wait_task", json!({"id": task, "timeout_s": 0}))["waits_for"], asks.as_str());
    symposium(&env, &["agent", "approve", "kid"]).ok();
    let output = boss.answer(again).expect("it is over");
    assert_eq!(output["structuredContent"]["task"]["state"], "done", "{output}");
}
