//! Links for guests: one agent, watching only or typing, until a time. Every route and stream is tried.

use serde_json::{Value, json};

use super::{Device, Response, Server, spawned, wait_for};
use crate::support::TestEnv;

/// Routes with which guests could reach more than their agent, with the methods that they have.
const CLOSED_ROUTES: [(&str, &str); 21] = [
    ("GET", "/api/agents"),
    ("GET", "/api/agents/other/screen"),
    ("GET", "/api/agents/other/screen/events"),
    ("GET", "/api/agents/other/recap"),
    ("GET", "/api/agents/%61pi/screen"),
    ("GET", "/api/agents/api/tasks"),
    ("GET", "/api/agents/api/diff"),
    ("GET", "/api/agents/api/messages"),
    ("POST", "/api/agents/other/prompt"),
    ("POST", "/api/agents/other/answer"),
    ("POST", "/api/agents/api/tasks"),
    ("POST", "/api/agents/api/messages"),
    ("POST", "/api/agents/api/stop"),
    ("POST", "/api/agents/api/resume"),
    ("POST", "/api/tasks/1/cancel"),
    ("POST", "/api/spawn"),
    ("POST", "/api/spawn/preview"),
    ("POST", "/api/devices/any/revoke"),
    ("GET", "/api/hosts/far/agents/api/screen/events"),
    ("GET", "/api/hosts/far/agents/api/recap"),
    ("POST", "/api/hosts/far/agents/api/prompt"),
];

/// Routes that change the agent of a guest.
const TYPING_ROUTES: [&str; 4] = ["answer", "prompt", "keys", "interrupt"];

/// Returns the answer of `web link --json`, run in a terminal.
#[track_caller]
fn link(env: &TestEnv, args: &[&str]) -> Value {
    env.in_new_terminal(&format!("symposium web link --json {}", args.join(" "))).ok().json()
}

/// Creates a link and opens it.
#[track_caller]
pub(super) fn guest(env: &TestEnv, server: &Server, args: &[&str]) -> Device {
    let link = link(env, args);
    let url = link["url"].as_str().expect("a link").to_owned();
    let response = server.pair(url.split_once("#pair=").expect("a code").1, "guest");
    assert_eq!(response.status, 200, "{response:?}");
    let cookie = response.header("set-cookie").expect("a cookie").split(';').next().unwrap().to_owned();
    let device = response.json();
    assert_eq!(device["id"], link["id"], "the device has the id of the link");
    assert_eq!(server.pair(url.split_once("#pair=").unwrap().1, "again").status, 403, "a link works once");
    let text = |key: &str| device[key].as_str().expect("a text").to_owned();
    Device { id: text("id"), cookie, key: text("key") }
}

fn send(server: &Server, device: &Device, (method, path): (&'static str, &str)) -> Response {
    match method {
        "GET" => server.send(&server.get(device, path)),
        _ => server.send(&server.post(device, path, &json!({ "text": "x" }))),
    }
}

#[test]
fn a_read_only_guest_sees_one_agent_and_changes_nothing() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let owner = server.paired(&env, "phone");
    spawned(&env, "other", None, "idle");
    spawned(&env, "api", Some("/ask make\u{200b} clean"), "waiting");
    let mut events = server.stream(&owner, "/api/events");
    let device = guest(&env, &server, &["api", "--read-only", "--for", "2h"]);
    let new = events.until("devices", |devices| devices != &json!([]));
    assert_eq!((&new[0]["id"], &new[0]["is_admitted"]), (&json!(device.id), &json!(true)));
    let list = server
        .stream(&device, "/api/events")
        .until("agents", |list| list["agents"][0]["question"].is_object());
    let names: Vec<&Value> = list["agents"].as_array().unwrap().iter().map(|agent| &agent["name"]).collect();
    assert_eq!((names, list["rows"].as_array().map(Vec::len)), (vec![&json!("api")], Some(1)));
    assert_eq!(list["agents"][0]["question"]["text"], "Bash: make<U+200B> clean");
    assert_eq!(list["access"]["permission"], "watch");
    assert!(!list.to_string().contains("other"), "{list}");
    let screen = server.stream(&device, "/api/agents/api/screen/events").next("screen");
    assert!(screen.is_some_and(|screen| screen["lines"].is_array()));
    assert_eq!(send(&server, &device, ("GET", "/api/agents/api/recap")).status, 200);
    let typing = TYPING_ROUTES.map(|verb| format!("/api/agents/api/{verb}"));
    let revoke = format!("/api/devices/{}/revoke", owner.id);
    let closed = CLOSED_ROUTES
        .into_iter()
        .chain([("POST", revoke.as_str())])
        .chain(typing.iter().map(|path| ("POST", path.as_str())));
    for route in closed {
        let response = send(&server, &device, route);
        assert_eq!((response.status, response.code().as_str()), (403, "not-granted"), "{route:?}");
    }
    let keys = server.post(&device, "/api/agents/api/keys", &json!({ "keys": ["Enter"], "take": true }));
    assert_eq!(server.send(&keys).code(), "not-granted", "keys cannot be taken over either");
    assert_eq!(env.symposium(["agent", "show", "api", "--json"]).ok().json()["status"], "waiting");
    let revoked =
        server.send(&server.post(&owner, &format!("/api/devices/{}/revoke", device.id), &json!({})));
    assert_eq!(revoked.status, 200, "the owner revokes a guest on the page");
    assert_eq!(send(&server, &device, ("GET", "/api/agents/api/screen")).status, 401);
}

#[test]
fn a_guest_that_may_type_reaches_only_the_agent() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    spawned(&env, "other", None, "idle");
    spawned(&env, "api", None, "idle");
    let device = guest(&env, &server, &["api", "--for", "2h"]);
    for route in CLOSED_ROUTES {
        assert_eq!(send(&server, &device, route).status, 403, "{route:?}");
    }
    assert_eq!(send(&server, &device, ("POST", "/api/agents/api/prompt")).status, 200);
    assert_eq!(crate::cli::prompts(&env, "api"), ["x"]);
    // The access follows the agent, and does not pass to another agent that gets its name.
    wait_for(&env, "api", "idle");
    env.symposium(["agent", "rename", "api", "renamed"]).ok();
    spawned(&env, "api", None, "idle");
    assert_eq!(send(&server, &device, ("GET", "/api/agents/renamed/screen")).status, 200);
    assert_eq!(send(&server, &device, ("GET", "/api/agents/api/screen")).status, 403);
}

#[test]
fn the_access_of_a_guest_ends_by_time_with_its_streams() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    spawned(&env, "api", None, "idle");
    let device = guest(&env, &server, &["api", "--for", "3s"]);
    let mut streams =
        ["/api/events", "/api/agents/api/screen/events"].map(|path| server.stream(&device, path));
    streams.iter_mut().for_each(|stream| while stream.next("agents").is_some() {});
    assert_eq!(send(&server, &device, ("GET", "/api/agents/api/screen")).status, 401);
    assert_eq!(env.symposium(["web", "devices", "--json"]).ok().json(), json!([]));
}

#[test]
fn guests_and_unopened_links_are_listed_and_revoked() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    spawned(&env, "api", None, "idle");
    let device = guest(&env, &server, &["api", "--read-only", "--for", "2h"]);
    let link = link(&env, &["api", "--for", "1h"]);
    let devices = env.symposium(["web", "devices", "--json"]).ok().json();
    let listed: Vec<&Value> = devices.as_array().unwrap().iter().map(|entry| &entry["access"]).collect();
    assert_eq!((&listed[0]["agent"], &listed[0]["permission"]), (&json!("api"), &json!("watch")));
    assert_eq!((&devices[1]["id"], &devices[1]["last_used"]), (&link["id"], &Value::Null));
    let text = env.symposium(["web", "devices"]).ok().stdout;
    assert!(text.contains("watch `api` until ") && text.contains("not opened"), "{text}");
    let mut stream = server.stream(&device, "/api/events");
    env.symposium(["web", "revoke", &device.id]).ok();
    while stream.next("agents").is_some() {}
    assert_eq!(send(&server, &device, ("GET", "/api/agents/api/screen")).status, 401);
    let id = link["id"].as_str().unwrap();
    let revoked = env.symposium(["web", "revoke", id]).ok().stderr;
    assert_eq!(revoked, format!("the link to `api` ({id}) was revoked\n"));
    let code = link["url"].as_str().unwrap().split_once("#pair=").unwrap().1;
    assert_eq!(server.pair(code, "late").status, 403);
    env.in_new_terminal("symposium web link no-such --for 1h").fails(3);
    for lifetime in ["0s", "31d"] {
        env.in_new_terminal(&format!("symposium web link api --for {lifetime}")).fails(2);
    }
    let detached =
        env.program("setsid", ["--wait", env.binary(), "web", "link", "api", "--for", "1h"]).fails(2);
    assert!(detached.stderr.contains("a process without a terminal may not create a link"), "{detached:?}");
}
