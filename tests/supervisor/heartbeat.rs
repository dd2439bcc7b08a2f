//! Heartbeats are queued for their agents, once for each time.

use serde_json::json;

use super::{shown, symposium};
use crate::support::TestEnv;

/// Gives an agent a heartbeat, as its spec would.
fn give_heartbeat(env: &TestEnv, name: &str, heartbeat: serde_json::Value) {
    env.edit_registry(|registry| registry["sessions"][name]["heartbeat"] = heartbeat);
}

#[test]
fn a_heartbeat_wakes_a_hibernated_agent() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "demo", "--name", "a", "--task", "remember blue"]).ok();
    env.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    env.symposium(["agent", "hibernate", "a"]).ok();
    let heartbeat = json!({"every": 3600, "prompt": "recall", "last": "2020-01-01T00:00:00Z"});
    give_heartbeat(&env, "a", heartbeat);
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the agent woke and recalls its conversation", || {
        shown(&env, "a")["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("blue") && reason != "I will remember: blue")
    });
}

#[test]
fn a_due_heartbeat_is_typed_and_done() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "demo", "--name", "a"]).ok();
    env.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    give_heartbeat(
        &env,
        "a",
        json!({"every": 3600, "prompt": "look after yourself", "last": "2020-01-01T00:00:00Z"}),
    );
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the heartbeat task is done", || {
        let agent = shown(&env, "a");
        agent["tasks"]["done"] == 1
            && agent["reason"].as_str().is_some_and(|r| r.contains("look after yourself"))
    });
    assert_eq!(
        shown(&env, "a")["tasks"],
        json!({"queued": 0, "running": 0, "done": 1, "failed": 0}),
        "missed ones are not piled up"
    );
}

#[test]
fn the_heartbeat_of_a_spec_reaches_its_agent() {
    let env = TestEnv::new();
    let text =
        "[agents.watcher]\nkind = 'demo'\nheartbeat = { every = '1h', prompt = 'look after yourself' }\n";
    crate::cli::trusted_specs(&env, text);
    env.symposium(["agent", "spawn", "watcher", "--name", "a"]).ok();
    env.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    let mut heartbeat = env.registry()["sessions"]["a"]["heartbeat"].clone();
    assert_eq!(
        heartbeat,
        json!({"every": 3600, "cron": null, "prompt": "look after yourself", "last": null})
    );
    // As if the agent had been spawned long ago.
    heartbeat["last"] = json!("2020-01-01T00:00:00Z");
    give_heartbeat(&env, "a", heartbeat);
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the heartbeat task is done", || shown(&env, "a")["tasks"]["done"] == 1);
    assert!(shown(&env, "a")["reason"].as_str().unwrap().contains("look after yourself"));
}
