//! `agent kill`, also `agent stop`: all processes of an agent end, its record stays, and other agents are not affected.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, printed, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Returns whether a process with exactly these arguments exists.
fn runs(env: &TestEnv, command: &str) -> bool {
    env.processes().iter().any(|one| one.command == command)
}

#[test]
fn kill_ends_the_agent_and_keeps_its_record() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "4321"]);
    let outcome = agent(&env, &["kill", "a"]).ok();
    assert_eq!(outcome.stderr, "`a` ended; `symposium agent resume a` brings it back\n");
    assert!(!runs(&env, "sleep 4321"));
    let agent = shown(&env, "a");
    assert_eq!(
        (&agent["status"], &agent["pid"], &agent["tmux"]),
        (&json!("stopped"), &json!(null), &json!(null))
    );
    assert_eq!(agent["reason"], "it was ended on request");
}

#[test]
fn kill_leaves_other_agents_running() {
    let env = TestEnv::new();
    for name in ["a", "ab", "a-b"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    agent(&env, &["kill", "a"]).ok();
    assert_eq!(env.tmux(["list-sessions", "-F", "#{session_name}"]).ok().stdout, "a-b\nab\n");
    assert_eq!((status(&env, "ab").as_str(), status(&env, "a-b").as_str()), ("working", "working"));
}

#[test]
fn a_process_tree_that_ignores_signals_is_killed_after_the_grace() {
    let env = TestEnv::new();
    let script = "trap '' TERM HUP INT QUIT; setsid nohup sleep 54321 >/dev/null 2>&1 & nohup sleep 54322 & \
                  echo up; while :; do sleep 54323; done";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the tree is up", || {
        ["54321", "54322", "54323"].iter().all(|n| runs(&env, &format!("sleep {n}")))
    });
    agent(&env, &["kill", "a", "--grace", "300ms"]).ok();
    for n in ["54321", "54322", "54323"] {
        assert!(!runs(&env, &format!("sleep {n}")), "sleep {n} is left");
    }
    assert_eq!(status(&env, "a"), "stopped");
}

#[test]
fn a_program_that_handles_the_signal_may_finish() {
    let env = TestEnv::new();
    let script = "trap 'echo saved > saved; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the program is up", || printed(&env, "a").contains("up"));
    agent(&env, &["stop", "a"]).ok();
    assert_eq!(std::fs::read_to_string(env.project().join("saved")).unwrap(), "saved\n");
}

#[test]
fn an_agent_cli_is_asked_to_exit_by_its_own_keys_first() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    assert!(printed(&env, "a").contains("Resume this conversation with: --resume"), "{}", printed(&env, "a"));
    assert_eq!(status(&env, "a"), "stopped");
}

#[test]
fn a_hung_agent_and_its_stray_child_are_killed() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/spawn-child"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "/hang"]).ok();
    agent(&env, &["kill", "a", "--grace", "200ms"]).ok();
    env.wait_until("no process is left", || {
        env.processes().iter().all(|one| one.command.contains("tmux") || one.command.contains("transcript"))
    });
}

#[test]
fn kill_reports_an_unknown_name_and_ends_the_others() {
    let env = TestEnv::new();
    for name in ["api", "web"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    let outcome = agent(&env, &["kill", "api", "wbe", "web"]).fails(3);
    assert_snapshot!(outcome.stderr, @"
    `api` ended; `symposium agent resume api` brings it back
    error: no agent named `wbe`
      known agents: api, web
    hint: did you mean `symposium agent kill web`?
    `web` ended; `symposium agent resume web` brings it back
    ");
    assert_eq!((status(&env, "api").as_str(), status(&env, "web").as_str()), ("stopped", "stopped"));
}

#[test]
fn kill_all_ends_every_running_agent() {
    let env = TestEnv::new();
    for name in ["a", "b", "c"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    agent(&env, &["kill", "c"]).ok();
    let outcome = agent(&env, &["kill", "--all", "--json"]).ok();
    let ended = |name| json!({"name": name, "was_running": true});
    assert_eq!(outcome.json(), json!([ended("a"), ended("b")]));
    assert_eq!(agent(&env, &["kill", "--all"]).ok().stderr, "no agent is running\n");
}

#[test]
fn kill_all_includes_agents_that_wait_for_a_restart() {
    let env = TestEnv::new();
    for (name, policy) in [("a", "on-failure"), ("b", "no")] {
        let args = ["spawn", "--name", name, "--restart", policy, "--", "sh", "-c", "sleep 0.2; exit 3"];
        agent(&env, &args).outcome();
        wait_for(&env, name, "crashed");
    }
    let outcome = agent(&env, &["kill", "--all", "--json"]).ok();
    assert_eq!(outcome.json(), json!([{"name": "a", "was_running": false}]));
    assert_eq!((status(&env, "a").as_str(), status(&env, "b").as_str()), ("stopped", "crashed"));
    assert_eq!(agent(&env, &["kill", "--all"]).ok().stderr, "no agent is running\n");
}

#[test]
fn killing_a_stopped_agent_succeeds_and_changes_nothing() {
    let env = TestEnv::new();
    agent(&env, &["spawn", "--name", "a", "--", "sh", "-c", "exit 3"]).outcome();
    wait_for(&env, "a", "crashed");
    let outcome = agent(&env, &["kill", "a"]).ok();
    assert_eq!(outcome.stderr, "`a` was not running; `symposium agent resume a` brings it back\n");
    assert_eq!(shown(&env, "a")["exit"], json!({"code": 3, "signal": null}));
}

#[test]
fn kill_needs_a_valid_name_or_all() {
    let env = TestEnv::new();
    agent(&env, &["kill"]).fails(2);
    agent(&env, &["kill", "a", "--all"]).fails(2);
    agent(&env, &["kill", "a", "--grace", "soon"]).fails(2);
    agent(&env, &["kill", "../x"]).fails(2);
}
