//! `agent kill` and the processes of an agent: all of them end, no others do, and programs are asked to exit first.

use std::time::{Duration, Instant};

use super::*;

/// Kills the agent and asserts that none of its processes is left.
#[track_caller]
fn assert_killed(env: &TestEnv, name: &str, grace: &str) {
    let id = text(&agent(env, name), "id");
    env.symposium(["agent", "kill", "--grace", grace, name]).ok();
    assert!(!marks(env).contains(&id), "processes of `{name}` are left: {:?}", env.processes());
    assert_eq!(status(env, name), "stopped");
}

/// Spawns a shell script and waits until it prints `ready`.
#[track_caller]
fn script(env: &TestEnv, name: &str, script: &str) {
    env.symposium(["agent", "spawn", "--name", name, "--", "bash", "-c", script]).ok();
    env.wait_until("the script is ready", || logs(env, name).contains("ready"));
}

fn count(env: &TestEnv, command: &str) -> usize {
    env.processes().iter().filter(|one| one.command == command && is_running(one.pid)).count()
}

#[test]
fn kill_leaves_other_agents_running() {
    let env = TestEnv::new();
    for name in ["one", "other", "one-more"] {
        sleeper(&env, name);
    }
    let pid = |name: &str| agent(&env, name)["pid"].as_i64();
    let before = (pid("other"), pid("one-more"));
    assert_killed(&env, "one", "5s");
    assert_eq!((pid("other"), pid("one-more")), before);
    assert_eq!((status(&env, "other"), status(&env, "one-more")), ("working".into(), "working".into()));
    assert_in_order(&env);
}

#[test]
fn a_program_that_ignores_signals_is_killed_after_the_grace() {
    let env = TestEnv::new();
    script(&env, "deaf", "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done");
    let begun = Instant::now();
    assert_killed(&env, "deaf", "700ms");
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(700), "it was not given its grace: {took:?}");
    assert!(took < Duration::from_secs(10), "it was given far more than its grace: {took:?}");
    assert_in_order(&env);
}

#[test]
fn kill_without_grace_kills_at_once() {
    let env = TestEnv::new();
    script(&env, "slow", "trap 'echo last words; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    assert_killed(&env, "slow", "0s");
    assert!(!logs(&env, "slow").contains("last words"));
}

#[test]
fn a_program_that_handles_sigterm_exits_and_its_output_is_kept() {
    let env = TestEnv::new();
    let polite = "trap 'echo saved everything; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    script(&env, "polite", polite);
    let begun = Instant::now();
    assert_killed(&env, "polite", "30s");
    assert!(begun.elapsed() < Duration::from_secs(10), "the agent ended itself and was waited for");
    env.wait_until("the last output is in the transcript", || {
        logs(&env, "polite").contains("saved everything")
    });
}

#[test]
fn kill_ends_children_that_left_the_session() {
    let env = TestEnv::new();
    sleeper(&env, "other");
    let fork = "setsid sleep 7001 & setsid bash -c 'trap \"\" TERM HUP; sleep 7002 & wait' & \
                nohup sleep 7003 >/dev/null 2>&1 & echo ready; wait";
    script(&env, "father", fork);
    env.wait_until("all programs are up", || {
        ["sleep 7001", "sleep 7002", "sleep 7003"].iter().all(|one| count(&env, one) == 1)
    });
    assert_killed(&env, "father", "300ms");
    assert_eq!(["sleep 7001", "sleep 7002", "sleep 7003"].map(|one| count(&env, one)), [0, 0, 0]);
    assert_eq!(status(&env, "other"), "working");
    assert_in_order(&env);
}

#[test]
fn kill_ends_a_double_forked_daemon() {
    let env = TestEnv::new();
    sleeper(&env, "other");
    let daemon = "(setsid bash -c 'sleep 7004 </dev/null >/dev/null 2>&1 & exit' &) ; echo ready; sleep 7005";
    script(&env, "father", daemon);
    env.wait_until("the daemon is up", || count(&env, "sleep 7004") == 1);
    assert_killed(&env, "father", "300ms");
    assert_eq!((count(&env, "sleep 7004"), count(&env, "sleep 7005")), (0, 0));
    assert_in_order(&env);
}

#[test]
fn kill_ends_a_daemon_of_an_exited_agent() {
    let env = TestEnv::new();
    let daemon = "setsid bash -c 'echo >up; exec sleep 7006' </dev/null >/dev/null 2>&1 &
                  until [ -e up ]; do :; done; echo ready; exit 0";
    script(&env, "father", daemon);
    env.wait_until("the agent has ended", || status(&env, "father") == "exited");
    env.wait_until("the daemon is up", || count(&env, "sleep 7006") == 1);
    env.symposium(["agent", "kill", "--grace", "1s", "father"]).ok();
    assert_eq!(count(&env, "sleep 7006"), 0);
}

#[test]
fn kill_ends_a_stray_child_of_the_demo_agent() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "demo", "--name", "demo", "--task", "/spawn-child"]).ok();
    env.symposium(["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]).ok();
    assert_killed(&env, "demo", "2s");
    assert_in_order(&env);
}

#[test]
fn kill_ends_a_stopped_program() {
    let env = TestEnv::new();
    sleeper(&env, "frozen");
    let pid = agent(&env, "frozen")["pid"].to_string();
    env.program("kill", ["-STOP", &pid]).ok();
    assert_killed(&env, "frozen", "1s");
}

#[test]
fn an_agent_that_kills_itself_does_not_hang() {
    let env = TestEnv::new();
    let suicide = format!("echo ready; {} agent kill --grace 1s self; sleep 1000", env.binary());
    script(&env, "self", &suicide);
    env.wait_until("the agent is stopped", || status(&env, "self") == "stopped");
    env.wait_until("all processes of the agent have ended", || marks(&env).is_empty());
}
