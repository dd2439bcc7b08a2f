//! `agent detach` disconnects terminals; the agent continues.

use serde_json::json;

use super::{agent, shown, spawned, status};
use crate::support::TestEnv;

#[test]
fn detach_disconnects_all_clients_and_keeps_the_agent() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo up; exec sleep 1000"]);
    assert_eq!(agent(&env, &["detach", "a"]).ok().stderr, "no client was attached\n");
    let terminals = [(); 2].map(|()| env.terminal([env.binary(), "agent", "attach", "a"]));
    terminals.iter().for_each(|terminal| terminal.wait_for_text("up"));
    assert_eq!(agent(&env, &["detach", "a"]).ok().stderr, "2 terminals detached\n");
    for terminal in &terminals {
        assert_eq!(terminal.wait_for_exit(), 0);
    }
    assert_eq!(status(&env, "a"), "working");
}

#[test]
fn detach_can_disconnect_one_client_by_its_tty() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo up; exec sleep 1000"]);
    let first = env.terminal([env.binary(), "agent", "attach", "a"]);
    first.wait_for_text("up");
    let tty = shown(&env, "a")["clients"][0]["tty"].as_str().unwrap().to_owned();
    let second = env.terminal([env.binary(), "agent", "attach", "a"]);
    second.wait_for_text("up");
    let outcome = agent(&env, &["detach", "a", "--client", &tty, "--json"]).ok();
    assert_eq!(outcome.json(), json!({"detached": 1}));
    assert_eq!(first.wait_for_exit(), 0);
    env.wait_until("one client is left", || {
        shown(&env, "a")["clients"].as_array().is_some_and(|all| all.len() == 1)
    });
    assert_eq!(
        agent(&env, &["detach", "a", "--client", "/dev/none"]).ok().stderr,
        "no client was attached\n"
    );
}

#[test]
fn detach_needs_a_name_only_outside_of_an_agent() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--env", "PS1=ready> ", "--", "bash", "--norc", "--noprofile"]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("ready>");
    terminal.type_text(&format!("{} agent detach", env.binary()));
    terminal.keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let outcome = agent(&env, &["detach"]).fails(2);
    assert_eq!(
        outcome.stderr,
        "error: no agent was named, and this is not an agent's terminal\nhint: `symposium agent detach NAME`\n"
    );
    agent(&env, &["detach", "b"]).fails(3);
}
