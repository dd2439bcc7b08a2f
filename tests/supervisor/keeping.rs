//! The supervisor starts when it is needed, exists once, is restarted when it dies, and stops on request.

use insta::assert_snapshot;

use super::{log, supervision, symposium};
use crate::support::TestEnv;

#[test]
fn the_first_agent_starts_the_supervisor() {
    let env = TestEnv::new();
    assert_eq!(supervision(&env)["running"], false);
    symposium(&env, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    env.wait_until("a supervisor is running", || supervision(&env)["running"] == true);
    let agents = symposium(&env, &["agent", "list", "--json"]).ok().json();
    assert_eq!(agents.as_array().unwrap().len(), 1, "it is not an agent");
    env.wait_until("the log contains the start", || {
        log(&env).iter().any(|line| line["message"] == "supervisor started")
    });
}

#[test]
fn stop_ends_the_supervisor_until_start() {
    let env = TestEnv::new();
    assert_eq!(symposium(&env, &["supervisor", "start"]).ok().stderr, "the supervisor is running\n");
    assert_eq!(symposium(&env, &["supervisor", "start"]).ok().stderr, "the supervisor is already running\n");
    assert_eq!(symposium(&env, &["supervisor", "stop"]).ok().stderr, "the supervisor is stopped\n");
    symposium(&env, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let output = supervision(&env);
    assert_eq!((&output["running"], &output["stopped_on_request"]), (&false.into(), &true.into()));
    symposium(&env, &["supervisor", "start"]).ok();
    assert_eq!(supervision(&env)["running"], true);
}

#[test]
fn a_second_supervisor_is_refused() {
    let env = TestEnv::new();
    symposium(&env, &["supervisor", "start"]).ok();
    let outcome = symposium(&env, &["supervisor", "run"]).fails(1);
    assert!(outcome.stderr.starts_with("error: a supervisor is already running (pid "), "{outcome:?}");
    assert!(outcome.stderr.contains("hint: stop it first: `symposium supervisor stop`"), "{outcome:?}");
}

#[test]
fn tmux_restarts_a_killed_supervisor() {
    let env = TestEnv::new();
    symposium(&env, &["supervisor", "start"]).ok();
    let pid = |env: &TestEnv| supervision(env)["pid"].as_i64();
    let first = pid(&env).expect("the program is running");
    env.program("kill", ["-9", &first.to_string()]).ok();
    env.wait_until("another supervisor is running", || pid(&env).is_some_and(|pid| pid != first));
}

#[test]
fn a_supervisor_in_a_terminal_ends_with_control_c() {
    let env = TestEnv::new();
    let terminal = env.terminal([env.binary(), "supervisor", "run"]);
    env.wait_until("the supervisor is running", || supervision(&env)["running"] == true);
    terminal.keys(&["C-c"]);
    env.wait_until("the supervisor has ended", || supervision(&env)["running"] == false);
}

#[test]
fn status_reports_the_supervisor_and_pending_work() {
    let env = TestEnv::new();
    let status = || env.redacted(&symposium(&env, &["supervisor", "status"]).ok().stdout);
    assert_snapshot!(status(), @"no supervisor is running; the next agent that starts also starts it");
    symposium(&env, &["supervisor", "start"]).ok();
    assert!(status().starts_with("the supervisor is running: pid "), "{}", status());
    symposium(&env, &["supervisor", "stop"]).ok();
    let script = "sleep 0.2; exit 3";
    env.symposium(["agent", "spawn", "--name", "a", "--restart", "always", "--", "sh", "-c", script])
        .outcome();
    env.wait_until("the crash is recorded", || {
        super::shown(&env, "a");
        env.registry()["sessions"]["a"]["status"]["status"] == "crashed"
    });
    assert_snapshot!(status(), @"
    the supervisor was stopped on request; `symposium supervisor start` starts it
    1 restart planned, waiting for it
    ");
    super::configure(&env, "[supervisor]\nautostart = false\n");
    std::fs::remove_file(env.state().join("run/_supervisor.off")).unwrap();
    assert_snapshot!(status(), @"
    no supervisor is running; `symposium supervisor start` starts one
    1 restart planned, waiting for it
    ");
}

#[test]
fn the_log_is_printed_as_text_and_as_json() {
    let env = TestEnv::new();
    let printed = |args: &[&str]| symposium(&env, &[&["supervisor", "log"], args].concat()).ok().stdout;
    assert_eq!(printed(&[]), "");
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the log contains the start", || {
        printed(&[]).contains("  info   supervisor started  pid=")
    });
    let line = printed(&["--json"]).lines().next().map(serde_json::from_str::<serde_json::Value>);
    assert_eq!(line.unwrap().unwrap()["message"], "supervisor started");
    assert!(printed(&["--since", "1h"]).contains("supervisor started"));
    assert_eq!(printed(&["--since", "2099-01-01T00:00:00Z"]), "");
    let terminal = env.terminal([env.binary(), "supervisor", "log", "-f"]);
    terminal.wait_for_text("supervisor started");
    symposium(&env, &["supervisor", "stop"]).ok();
    terminal.wait_for_text("supervisor ended");
}
