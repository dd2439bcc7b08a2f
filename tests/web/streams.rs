//! Event streams: changes arrive without polling, and a revoked device gets nothing more.

use serde_json::Value;

use super::{Server, spawned};
use crate::support::TestEnv;

fn status_of(list: &Value, name: &str) -> Option<String> {
    let at = list["agents"].as_array()?.iter().position(|agent| agent["name"] == name)?;
    Some(list["rows"][at]["status"].as_str()?.to_owned())
}

#[test]
fn the_list_arrives_at_first_and_after_each_change() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let mut stream = server.stream(&device, "/api/events");
    let first = stream.next("agents").expect("the current list");
    assert_eq!(first["agents"], serde_json::json!([]));
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let list = stream.until("agents", |list| status_of(list, "a").as_deref() == Some("waiting(approval)"));
    assert_eq!(list["rows"][0]["about"], "Bash: make clean");
    env.symposium(["agent", "approve", "a"]).ok();
    stream.until("agents", |list| status_of(list, "a").as_deref() == Some("idle"));
}

#[test]
fn rows_keep_their_places_when_a_status_changes() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    spawned(&env, "b10", Some("/ask make clean"), "waiting");
    spawned(&env, "b9", None, "idle");
    spawned(&env, "a", None, "idle");
    let mut stream = server.stream(&device, "/api/events");
    let list = stream.until("agents", |list| list["agents"].as_array().is_some_and(|all| all.len() == 3));
    let names: Vec<&Value> = list["agents"].as_array().unwrap().iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["a", "b9", "b10"], "the order of the dashboard: by name, also if one needs an answer");
    assert_eq!(list["rows"][2]["about"], "Bash: make clean");
}

#[test]
fn a_revocation_ends_open_streams() {
    let env = TestEnv::new();
    spawned(&env, "a", None, "idle");
    let server = Server::start(&env);
    let (phone, laptop) = (server.paired(&env, "phone"), server.paired(&env, "laptop"));
    let mut lists = server.stream(&phone, "/api/events");
    let mut screens = server.stream(&phone, "/api/agents/a/screen/events");
    let mut other = server.stream(&laptop, "/api/events");
    assert!(
        lists.next("agents").is_some() && screens.next("screen").is_some() && other.next("agents").is_some()
    );
    env.symposium(["web", "revoke", &phone.id]).ok();
    while lists.next("agents").is_some() {}
    while screens.next("screen").is_some() {}
    spawned(&env, "b", None, "idle");
    other.until("agents", |list| status_of(list, "b").as_deref() == Some("idle"));
}

#[test]
fn a_screen_is_sent_again_when_the_agent_prints() {
    let env = TestEnv::new();
    spawned(&env, "a", None, "idle");
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let (mut one, mut two) = (
        server.stream(&device, "/api/agents/a/screen/events"),
        server.stream(&device, "/api/agents/a/screen/events"),
    );
    assert!(one.next("screen").is_some() && two.next("screen").is_some());
    env.symposium(["agent", "send", "a", "hello there"]).ok();
    for stream in [&mut one, &mut two] {
        stream.until("screen", |screen| screen.to_string().contains("hello there"));
    }
    env.symposium(["agent", "kill", "a"]).ok();
    let mut list = server.stream(&device, "/api/events");
    list.until("agents", |list| status_of(list, "a").as_deref() == Some("stopped"));
}
