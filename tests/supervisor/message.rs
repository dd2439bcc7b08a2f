//! Messages are typed into an idle agent with their sender, exactly once, even if the supervisor is killed meanwhile.

use serde_json::Value;

use super::symposium;
use crate::cli::prompts;
use crate::support::TestEnv;

/// Starts an idle demo agent, without a supervisor.
fn idle(env: &TestEnv, name: &str) {
    env.symposium(["agent", "spawn", "demo", "--name", name]).ok();
    env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
}

/// Returns all messages of an agent.
fn mail(env: &TestEnv, name: &str) -> Vec<Value> {
    let mail = env.symposium(["message", "list", "--agent", name, "--all", "--json"]).ok().json();
    mail.as_array().expect("a list").clone()
}

/// Returns the states of the messages of an agent.
fn states(env: &TestEnv, name: &str) -> Vec<String> {
    let state = |message: &Value| message["state"].as_str().expect("a state is a word").to_owned();
    mail(env, name).iter().map(state).collect()
}

#[test]
fn a_message_from_an_agents_shell_is_typed_once() {
    let env = TestEnv::new();
    idle(&env, "b");
    let script = format!("{} message send b 'hello\nthere'; exec sleep 1000", env.binary());
    symposium(&env, &["agent", "spawn", "--name", "a", "--", "sh", "-c", &script]).ok();
    env.wait_until("the message was read", || states(&env, "b") == ["read"]);
    symposium(&env, &["message", "send", "b", "a second one"]).ok();
    env.wait_until("the second message was read", || states(&env, "b") == ["read", "read"]);
    let typed =
        ["[symposium message 1 from a] hello\nthere", "[symposium message 2 from person] a second one"];
    env.wait_until("both messages arrived", || prompts(&env, "b").len() == 2);
    assert_eq!(prompts(&env, "b"), typed);
}

#[test]
fn a_supervisor_killed_during_delivery_types_nothing_twice() {
    for step in ["dispatch.noted", "dispatch.sent"] {
        let env = TestEnv::new();
        idle(&env, "b");
        env.symposium(["message", "send", "b", "only once"]).ok();
        let killed = env.symposium(["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(killed.code, 128 + 9, "{step}: {killed:?}");
        symposium(&env, &["supervisor", "start"]).ok();
        env.wait_until("the message was read", || states(&env, "b") == ["read"]);
        symposium(&env, &["message", "send", "b", "the next"]).ok();
        env.wait_until("the next message arrived", || prompts(&env, "b").len() == 2);
        let typed =
            ["[symposium message 1 from person] only once", "[symposium message 2 from person] the next"];
        assert_eq!(prompts(&env, "b"), typed, "{step}");
    }
}
