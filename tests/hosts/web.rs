//! Agents of other hosts on the web page: lists, answers, prompts, screens and operations, through the real socket.

use serde_json::{Value, json};

use super::{Far, Near, machines};
use crate::web::{Device, Response, Server};

struct Page {
    server: Server,
    device: Device,
}

impl Page {
    fn open(near: &Near) -> Page {
        let server = Server::start(&near.env);
        let device = server.paired(&near.env, "phone");
        Page { server, device }
    }

    fn post(&self, rest: &str, body: &Value) -> Response {
        self.server.send(&self.server.post(&self.device, &format!("/api/hosts/far/agents/a/{rest}"), body))
    }

    fn get(&self, rest: &str) -> Value {
        let response =
            self.server.send(&self.server.get(&self.device, &format!("/api/hosts/far/agents/a/{rest}")));
        assert_eq!(response.status, 200, "{response:?}");
        response.json()
    }

    /// Waits until the list of the host satisfies a condition.
    #[track_caller]
    fn wait_for_list(&self, condition: impl Fn(&Value) -> bool) -> Value {
        let mut events = self.server.stream(&self.device, "/api/events");
        let lists = events.until("hosts", |lists| lists[0]["host"] == "far" && condition(&lists[0]));
        lists[0].clone()
    }

    #[track_caller]
    fn wait_for_status(&self, status: &str) -> Value {
        self.wait_for_list(|list| list["rows"][0]["status"] == status)
    }
}

/// Starts a demo agent on the other machine.
fn demo(far: &Far, args: &[&str]) {
    far.run(&[&["agent", "spawn", "demo", "--name", "a"], args].concat()).ok();
}

#[test]
fn a_remote_question_is_shown_when_it_is_asked_and_answered_once() {
    let Some((near, far)) = machines() else { return };
    let page = Page::open(&near);
    let mut events = page.server.stream(&page.device, "/api/events");
    events.until("hosts", |lists| lists[0]["host"] == "far" && lists[0]["agents"] == json!([]));
    demo(&far, &["--task", "/ask make\u{200b} clean"]);
    let lists = events.until("hosts", |lists| lists[0]["agents"][0]["question"].is_object());
    let list = &lists[0];
    assert_eq!((&list["silence"], &list["agents"][0]["name"]), (&Value::Null, &json!("a")));
    let question = &list["agents"][0]["question"];
    assert_eq!(question["text"], "Bash: make<U+200B> clean");
    assert!(question["options"].as_array().is_some_and(|options| !options.is_empty()), "{question}");
    let stale = page.post("answer", &json!({ "question": "another", "answer": "approve" }));
    assert_eq!((stale.status, stale.code().as_str()), (409, "far-error"), "{stale:?}");
    let taken = page.post("answer", &json!({ "question": question["id"], "answer": "approve" }));
    assert_eq!((taken.status, &taken.json()["taken"]), (200, &json!(true)), "{taken:?}");
    events.until("hosts", |lists| lists[0]["rows"][0]["status"] == "idle");
    assert_eq!(far.agents()[0]["status"], "idle");
}

#[test]
fn a_remote_agent_is_prompted_typed_into_interrupted_stopped_and_resumed() {
    let Some((near, far)) = machines() else { return };
    let page = Page::open(&near);
    demo(&far, &[]);
    page.wait_for_status("idle");
    let mut screen = page.server.stream(&page.device, "/api/hosts/far/agents/a/screen/events");
    assert!(screen.next("screen").is_some_and(|screen| screen["lines"].is_array()));
    let sent = page.post("prompt", &json!({ "text": "--hello from the phone" }));
    assert!(sent.status == 200 && sent.json()["confirmed_by"].is_string(), "{sent:?}");
    screen.until("screen", |screen| screen.to_string().contains("--hello from the phone"));
    assert_eq!(page.post("keys", &json!({ "keys": ["no such key"] })).status, 400);
    assert_eq!(page.post("keys", &json!({ "keys": ["x", "y", "z"] })).status, 200);
    screen.until("screen", |screen| screen.to_string().contains("xyz"));
    assert_eq!(page.post("keys", &json!({ "keys": ["C-u"] })).status, 200);
    let watching = far.env.terminal([far.env.binary(), "agent", "attach", "a"]);
    page.wait_for_list(|list| list["agents"][0]["clients"][0]["driver"] == true);
    let driven = page.post("keys", &json!({ "keys": ["q"] }));
    assert!(driven.status == 409 && driven.body.contains("no key was pressed"), "{driven:?}");
    assert_eq!(page.post("keys", &json!({ "keys": ["Q", "Q", "Q"], "take": true })).status, 200);
    watching.wait_for_text("QQQ");
    assert_eq!(page.post("keys", &json!({ "keys": ["C-u"], "take": true })).status, 200);
    drop(watching);
    assert_eq!(page.post("prompt", &json!({ "text": "/work 1000s" })).status, 200);
    page.wait_for_status("working");
    assert_eq!(page.post("interrupt", &json!({})).status, 200);
    page.wait_for_status("idle");
    assert_eq!(page.post("stop", &json!({})).status, 200);
    page.wait_for_status("stopped");
    assert_eq!(page.post("resume", &json!({})).status, 200);
    page.wait_for_status("idle");
}

#[test]
fn tasks_messages_and_recaps_of_a_remote_agent_are_read_and_added() {
    let Some((near, far)) = machines() else { return };
    let page = Page::open(&near);
    demo(&far, &[]);
    let added = page.post("tasks", &json!({ "text": "write the docs" }));
    assert_eq!(added.status, 200, "{added:?}");
    let id = added.json()["task"]["id"].as_i64().expect("a number");
    assert_eq!(page.get("tasks")[0]["text"], "write the docs");
    let cancelled = page.post(&format!("tasks/{id}/cancel"), &json!({}));
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    assert_eq!(page.get("tasks")[0]["state"], "cancelled");
    assert_eq!(page.post("messages", &json!({ "text": "hello" })).status, 200);
    assert_eq!(page.get("messages")[0]["text"], "hello");
    assert!(page.get("recap")["text"].as_str().is_some_and(|text| text.starts_with("a: ")));
    let path = "/api/hosts/far/agents/demo/tasks";
    let unknown = page.server.send(&page.server.post(&page.device, path, &json!({ "text": "x" })));
    assert_eq!(unknown.status, 404, "the name of a spec starts nothing: {unknown:?}");
    assert_eq!(far.agents().len(), 1);
    let path = "/api/hosts/nowhere/agents/a/interrupt";
    let unknown = page.server.send(&page.server.post(&page.device, path, &json!({})));
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "no-such-host"));
}

#[test]
fn a_host_that_does_not_answer_is_shown_in_its_last_known_state() {
    let Some((near, far)) = machines() else { return };
    demo(&far, &["--task", "/ask make clean"]);
    near.run(&["agent", "list", "--host", "all"]).ok();
    far.fall_silent();
    let page = Page::open(&near);
    let list = page.wait_for_list(|list| list["silence"].is_string());
    assert_eq!((&list["agents"][0]["name"], list["as_of"].is_string()), (&json!("a"), true), "{list}");
    near.run(&["host", "remove", "far"]).ok();
    let mut events = page.server.stream(&page.device, "/api/events");
    events.until("hosts", |lists| lists == &json!([]));
}

#[test]
fn guests_see_no_agent_of_another_host() {
    let Some((near, far)) = machines() else { return };
    near.run(&["agent", "spawn", "demo", "--name", "a"]).ok();
    let page = Page::open(&near);
    let link = near.env.in_new_terminal("symposium web link --json a --for 2h").ok().json();
    let code = link["url"].as_str().and_then(|url| url.split_once("#pair=")).expect("a code").1;
    let guest = page.server.opened(code, "guest");
    demo(&far, &[]);
    page.wait_for_status("idle");
    let mut events = page.server.stream(&guest, "/api/events");
    near.run(&["agent", "send", "a", "/work 1000s"]).ok();
    loop {
        let (name, list) = events.next_of_any_name().expect("the stream goes on");
        assert_eq!((name.as_str(), list["agents"].as_array().map(Vec::len)), ("agents", Some(1)), "{list}");
        if list["agents"][0]["status"] == "working" {
            break;
        }
    }
    let path = "/api/hosts/far/agents/a/recap";
    assert_eq!(page.server.send(&page.server.get(&guest, path)).code(), "not-granted");
}
