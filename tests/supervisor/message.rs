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
    env.wait_until("it was taken", || states(&env, "b") == ["read"]);
    symposium(&env, &["message", "send", "b", "a second one"]).ok();
    env.wait_until("that too", || states(&env, "b") == ["read", "read"]);
    let typed =
        ["[symposium message 1 from a] hello\nthere", "[symposium message 2 from person] a second one"];
    env.wait_until("both are there", || prompts(&env, "b").len() == 2);
    assert_eq!(prompts(&env, "b"), typed);
}

#[test]
fn a_message_waits_for_the_end_of_a_turn() {
    let env = TestEnv::new();
    idle(&env, "b");
    symposium(&env, &["supervisor", "start"]).ok();
    env.symposium(["agent", "send", "b", "/ask make clean"]).ok();
    env.symposium(["agent", "wait", "b", "--for", "waiting", "--timeout", "20s"]).ok();
    let sent = symposium(&env, &["message", "send", "b", "when you are done"]).ok();
    assert!(sent.stderr.contains("waits for an answer to `b`"), "{sent:?}");
    // A later message to another agent that was delivered shows that the supervisor has checked the queue.
    idle(&env, "c");
    symposium(&env, &["message", "send", "c", "at once"]).ok();
    env.wait_until("the other one has its mail", || states(&env, "c") == ["read"]);
    assert_eq!(states(&env, "b"), ["waiting"]);
    assert_eq!(prompts(&env, "b"), ["/ask make clean"]);
    env.symposium(["agent", "approve", "b"]).ok();
    env.wait_until("it was taken", || states(&env, "b") == ["read"]);
    let last = "[symposium message 1 from person] when you are done";
    env.wait_until("it is there", || prompts(&env, "b").last().is_some_and(|prompt| prompt == last));
    assert_eq!(prompts(&env, "b").len(), 2);
}

#[test]
fn a_project_message_wakes_only_mentioned_agents() {
    let env = TestEnv::new();
    for name in ["b", "c"] {
        idle(&env, name);
    }
    symposium(&env, &["message", "send", "@project", "the build is red, @b"]).ok();
    env.wait_until("it was taken", || states(&env, "b") == ["read"]);
    symposium(&env, &["message", "send", "c", "you alone"]).ok();
    env.wait_until("that too", || states(&env, "c") == ["waiting", "read"]);
    env.wait_until("both are there", || prompts(&env, "b").len() + prompts(&env, "c").len() == 2);
    assert_eq!(prompts(&env, "b"), ["[symposium message 1 from person] the build is red, @b"]);
    assert_eq!(prompts(&env, "c"), ["[symposium message 3 from person] you alone"]);
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
        env.wait_until("it was taken", || states(&env, "b") == ["read"]);
        symposium(&env, &["message", "send", "b", "the next"]).ok();
        env.wait_until("the next too", || prompts(&env, "b").len() == 2);
        let typed =
            ["[symposium message 1 from person] only once", "[symposium message 2 from person] the next"];
        assert_eq!(prompts(&env, "b"), typed, "{step}");
    }
}
