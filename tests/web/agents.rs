//! Everything that the page does with agents: list, answers, prompts, keys, operations, tasks, messages, screens.

use serde_json::{Value, json};

use super::{Device, Server, spawned, wait_for};
use crate::support::TestEnv;

/// A server with a paired device.
fn ready(env: &TestEnv) -> (Server, Device) {
    let server = Server::start(env);
    let device = server.paired(env, "phone");
    (server, device)
}

#[track_caller]
fn question_of(env: &TestEnv, name: &str) -> String {
    let agent = env.symposium(["agent", "show", name, "--json"]).ok().json();
    agent["question"]["id"].as_str().expect("it asks").to_owned()
}

#[test]
fn the_list_is_that_of_the_command_line() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "b", None, "idle");
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let mut listed = Value::Null;
    // An agent that prints between the two queries has another time of its last output.
    env.wait_until("both lists are the same", || {
        listed = server.send(&server.get(&device, "/api/agents")).json();
        listed == env.symposium(["agent", "list", "--json"]).ok().json()
    });
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["a", "b"], "the agent that waits comes first");
    assert_eq!(listed[0]["question"]["text"], "Bash: make clean");
    assert!(listed[0]["question"]["options"].as_array().is_some_and(|options| !options.is_empty()));
}

#[test]
fn invisible_characters_of_a_question_are_written_out() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", Some("/ask rm a\u{202e}b\u{200b}c"), "waiting");
    let expected = "Bash: rm a<U+202E>b<U+200B>c";
    let listed = server.send(&server.get(&device, "/api/agents")).json();
    assert_eq!(listed[0]["question"]["text"], expected);
    let streamed = server.stream(&device, "/api/events").next("agents").expect("the current list");
    assert_eq!(streamed["agents"][0]["question"]["text"], expected);
    let read = listed[0]["question"]["id"].clone();
    let body = json!({ "question": read, "answer": "approve" });
    assert_eq!(server.send(&server.post(&device, "/api/agents/a/answer", &body)).status, 200);
}

#[test]
fn an_answer_is_taken_only_for_the_question_that_was_read() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let read = question_of(&env, "a");
    let answer = |body: Value| server.send(&server.post(&device, "/api/agents/a/answer", &body));
    let stale = answer(json!({ "question": "another", "answer": "approve" }));
    assert_eq!((stale.status, stale.code().as_str()), (409, "asks-another"));
    assert_eq!(question_of(&env, "a"), read, "nothing was pressed");
    let taken = answer(json!({ "question": read, "answer": "approve" }));
    assert_eq!((taken.status, &taken.json()["taken"]), (200, &Value::Bool(true)), "{taken:?}");
    wait_for(&env, "a", "idle");
    let again = answer(json!({ "question": read, "answer": "approve" }));
    assert_eq!((again.status, again.code().as_str()), (409, "nothing-asked"));
}

#[test]
fn a_question_can_be_denied_or_answered_with_an_option() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", Some("/ask rm -rf build"), "waiting");
    let answer = |mut body: Value| {
        body["question"] = question_of(&env, "a").into();
        server.send(&server.post(&device, "/api/agents/a/answer", &body))
    };
    assert_eq!(answer(json!({ "answer": "option", "text": "77" })).code(), "no-such-option");
    assert_eq!(answer(json!({ "answer": "deny" })).status, 200);
    wait_for(&env, "a", "idle");
    env.symposium(["agent", "send", "a", "/ask ls"]).ok();
    wait_for(&env, "a", "waiting");
    assert_eq!(answer(json!({ "answer": "option", "text": "1" })).status, 200);
    wait_for(&env, "a", "idle");
}

#[test]
fn a_prompt_is_delivered_and_confirmed() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", None, "idle");
    let prompt = |name: &str, text: &str| {
        server.send(&server.post(&device, &format!("/api/agents/{name}/prompt"), &json!({ "text": text })))
    };
    let sent = prompt("a", "hello from the phone");
    assert!(sent.status == 200 && sent.json()["confirmed_by"].is_string(), "{sent:?}");
    assert_eq!(crate::cli::prompts(&env, "a"), ["hello from the phone"]);
    assert_eq!(prompt("no-such", "x").status, 404);
    assert_eq!(prompt("a", "").code(), "unsendable");
    assert_eq!(prompt("..", "x").status, 400);
}

#[test]
fn an_agent_is_interrupted_stopped_and_resumed() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", Some("/work 1000s"), "working");
    let operate =
        |what: &str| server.send(&server.post(&device, &format!("/api/agents/a/{what}"), &json!({})));
    let interrupted = operate("interrupt");
    assert_eq!(interrupted.status, 200, "{interrupted:?}");
    wait_for(&env, "a", "idle");
    assert_eq!(operate("stop").json()["was_running"], true);
    wait_for(&env, "a", "stopped");
    assert_eq!(operate("interrupt").code(), "not-running");
    assert_eq!(operate("resume").status, 200);
    wait_for(&env, "a", "idle");
}

#[test]
fn keys_are_pressed_and_the_screen_shows_them() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", None, "idle");
    let press = |keys: &[&str]| {
        server.send(&server.post(&device, "/api/agents/a/keys", &json!({ "keys": keys }))).status
    };
    assert_eq!(press(&["x", "y", "z"]), 200);
    assert_eq!(press(&["no such key"]), 400);
    env.wait_until("the screen shows the keys", || {
        let screen = server.send(&server.get(&device, "/api/agents/a/screen")).json();
        let lines = screen["lines"].as_array().cloned().unwrap_or_default();
        lines
            .iter()
            .flat_map(|line| line.as_array().cloned().unwrap_or_default())
            .any(|run| run["text"].as_str().is_some_and(|text| text.contains("xyz")))
    });
}

#[test]
fn keys_are_refused_while_another_terminal_drives() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", None, "idle");
    let _terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    env.wait_until("the terminal drives", || {
        let agent = env.symposium(["agent", "show", "a", "--json"]).ok().json();
        agent["clients"].as_array().is_some_and(|all| all.iter().any(|client| client["driver"] == true))
    });
    let press = |body: Value| server.send(&server.post(&device, "/api/agents/a/keys", &body));
    let refused = press(json!({ "keys": ["x"] }));
    assert_eq!((refused.status, refused.code().as_str()), (409, "driven"), "{refused:?}");
    assert_eq!(press(json!({ "keys": ["y"], "take": true })).status, 200);
    env.wait_until("only the key that was taken is on the screen", || {
        let screen = env.symposium(["agent", "peek", "a"]).ok().stdout;
        assert!(!screen.contains("❯ x"), "{screen}");
        screen.contains("❯ y")
    });
}

#[test]
fn tasks_messages_and_recaps_are_read_and_added() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    spawned(&env, "a", None, "idle");
    let path = |rest: &str| format!("/api/agents/a/{rest}");
    let added = server.send(&server.post(&device, &path("tasks"), &json!({ "text": "write the docs" })));
    assert_eq!(added.status, 200, "{added:?}");
    let id = added.json()["task"]["id"].as_i64().expect("a number");
    let tasks = server.send(&server.get(&device, &path("tasks"))).json();
    assert_eq!(tasks[0]["text"], "write the docs");
    let cancelled = server.send(&server.post(&device, &format!("/api/tasks/{id}/cancel"), &json!({})));
    assert_eq!(cancelled.json()["state"], "cancelled");
    let sent = server.send(&server.post(&device, &path("messages"), &json!({ "text": "hello" })));
    assert_eq!(sent.status, 200, "{sent:?}");
    assert_eq!(server.send(&server.get(&device, &path("messages"))).json()[0]["text"], "hello");
    let recap = server.send(&server.get(&device, &path("recap"))).json();
    assert!(recap["text"].as_str().is_some_and(|text| text.starts_with("a: ")), "{recap}");
}

#[test]
fn a_task_for_a_name_without_an_agent_starts_nothing() {
    let env = TestEnv::new();
    let (server, device) = ready(&env);
    let body = json!({ "text": "x" });
    assert_eq!(server.send(&server.post(&device, "/api/agents/demo/tasks", &body)).status, 404);
    assert_eq!(env.symposium(["agent", "list", "--all", "--json"]).ok().json(), json!([]));
}
