//! `max_agents`: at the limit the least recently used idle agent is hibernated, and wakes when it is needed.

use super::{configure, shown, symposium};
use crate::support::TestEnv;

#[track_caller]
fn idle(env: &TestEnv, name: &str) {
    symposium(env, &["agent", "spawn", "demo", "--name", name, "--task", &format!("remember {name}")]).ok();
    symposium(env, &["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
}

#[test]
fn the_least_recently_used_idle_agent_is_hibernated_and_wakes() {
    let env = TestEnv::new();
    configure(&env, "max_agents = 2\n");
    idle(&env, "first");
    idle(&env, "second");
    idle(&env, "third");
    assert_eq!(shown(&env, "first")["status"], "hibernated");
    assert_eq!(shown(&env, "second")["status"], "idle");
    symposium(&env, &["agent", "send", "first", "recall"]).ok();
    env.wait_until("the agent recalls its conversation", || {
        shown(&env, "first")["reason"].as_str().is_some_and(|reason| reason.contains("first"))
    });
    assert_eq!(shown(&env, "second")["status"], "hibernated", "waking needs capacity too");
}

#[test]
fn concurrent_spawns_never_exceed_max_agents() {
    let env = TestEnv::new();
    configure(&env, "max_agents = 3\n");
    let names: Vec<String> = (0..12).map(|n| format!("a{n}")).collect();
    let running: Vec<_> = names
        .iter()
        .map(|name| symposium(&env, &["agent", "spawn", "--name", name, "--", "sleep", "1000"]).start())
        .collect();
    let codes: Vec<i32> = running.into_iter().map(|run| run.finish().code).collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 3, "{codes:?}");
    let live = symposium(&env, &["agent", "list", "--status", "working", "--json"]).ok().json();
    assert_eq!(live.as_array().unwrap().len(), 3);
}

#[test]
fn hibernate_works_on_request_and_attach_wakes_the_agent() {
    let env = TestEnv::new();
    idle(&env, "a");
    symposium(&env, &["agent", "hibernate", "a"]).ok();
    assert_eq!(shown(&env, "a")["status"], "hibernated");
    assert_eq!(shown(&env, "a")["pid"], serde_json::Value::Null);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("❯");
    env.wait_until("the agent is awake", || shown(&env, "a")["status"] == "idle");
    let outcome = symposium(&env, &["agent", "hibernate", "nobody"]).fails(3);
    assert!(outcome.stderr.contains("no agent named `nobody`"), "{outcome:?}");
}

#[test]
fn starting_agents_count_towards_max_agents() {
    let env = TestEnv::new();
    configure(&env, "max_agents = 1\n");
    let spawn = |name| env.symposium(["agent", "spawn", "--name", name, "--", "sleep", "1000"]);
    let first = spawn("a").env("SYMPOSIUM_FAILPOINT", "stop:spawn.instance").start();
    env.wait_until("the first start reserved its slot", || first.is_stopped());
    let outcome = spawn("b").fails(1);
    let words = "error: 0 agents are running and 1 is starting; `max_agents` is 1\n";
    assert!(outcome.stderr.starts_with(words), "{outcome:?}");
    assert!(!env.state().join("run/b.lock").exists(), "an unknown name leaves nothing");
    first.go_on();
    first.finish().ok();
}

#[test]
fn an_agent_recorded_while_capacity_is_made_counts_once() {
    let env = TestEnv::new();
    configure(&env, "max_agents = 3\n");
    idle(&env, "spare");
    let spawn = |name| env.symposium(["agent", "spawn", "--name", name, "--", "sleep", "1000"]);
    spawn("works").ok();
    let first = spawn("a").env("SYMPOSIUM_FAILPOINT", "stop:spawn.instance").start();
    env.wait_until("the first start reserved its slot", || first.is_stopped());
    let second = spawn("b").env("SYMPOSIUM_FAILPOINT", "stop:room.counted").start();
    env.wait_until("the second start has counted the agents", || second.is_stopped());
    first.go_on();
    first.finish().ok();
    second.go_on();
    second.finish().ok();
    assert_eq!(shown(&env, "spare")["status"], "hibernated");
}
