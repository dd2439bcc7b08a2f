//! Agents that exit by themselves are restarted according to their policy.

use super::{configure, shown, symposium};
use crate::support::TestEnv;

/// Short restart delays.
const QUICK: &str = "[restart]\nfirst = \"50ms\"\nlongest = \"200ms\"\nmost = 3\n";

fn spawn(env: &TestEnv, policy: &str, script: &str) {
    let args = ["agent", "spawn", "--name", "a", "--restart", policy, "--", "sh", "-c", script];
    // It may have exited before spawn is done; spawn reports that.
    symposium(env, &args).outcome();
}

/// Returns how often the script has started.
fn starts(env: &TestEnv) -> usize {
    std::fs::read_to_string(env.project().join("starts")).unwrap_or_default().lines().count()
}

#[test]
fn a_crashed_agent_is_restarted_with_its_environment() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    let script =
        "echo \"$SECRET\" >>starts; [ $(wc -l <starts) -gt 1 ] || { sleep 0.2; exit 3; }; exec sleep 1000";
    let args = ["agent", "spawn", "--name", "a", "--restart", "on-failure", "--", "sh", "-c", script];
    symposium(&env, &args).env("SECRET", "of the spawner").outcome();
    env.wait_until("the agent was restarted", || starts(&env) == 2);
    env.wait_until("the agent is working", || shown(&env, "a")["status"] == "working");
    assert_eq!(shown(&env, "a")["restart"]["count"], 1);
    let output = std::fs::read_to_string(env.project().join("starts")).unwrap();
    assert_eq!(output, "of the spawner\nof the spawner\n");
}

#[test]
fn an_agent_that_crashes_repeatedly_is_given_up() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    spawn(&env, "on-failure", "echo x >>starts; sleep 0.1; exit 3");
    env.wait_until("the agent is no longer restarted", || {
        shown(&env, "a")["reason"].as_str().is_some_and(|reason| reason.starts_with("given up"))
    });
    assert_eq!((shown(&env, "a")["status"].as_str(), starts(&env)), (Some("crashed"), 4));
}

#[test]
fn always_restarts_after_a_clean_exit_but_not_after_a_stop() {
    let env = TestEnv::new();
    configure(&env, &QUICK.replace("most = 3", "most = 1000"));
    spawn(&env, "always", "echo x >>starts; exec sleep 0.1");
    env.wait_until("the agent was started three times", || starts(&env) >= 3);
    symposium(&env, &["agent", "stop", "a"]).ok();
    let stopped = starts(&env);
    let args = ["agent", "spawn", "--name", "b", "--restart", "always", "--", "sh", "-c", "exec sleep 0.1"];
    symposium(&env, &args).outcome();
    env.wait_until("agent `b` was restarted", || shown(&env, "b")["restart"]["count"].as_i64() > Some(1));
    assert_eq!((shown(&env, "a")["status"].as_str(), starts(&env)), (Some("stopped"), stopped));
}

#[test]
fn a_restart_continues_the_conversation() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    let args =
        ["agent", "spawn", "demo", "--name", "a", "--restart", "on-failure", "--task", "remember blue"];
    symposium(&env, &args).ok();
    symposium(&env, &["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    let pid = shown(&env, "a")["pid"].as_i64().expect("the program is running");
    env.program("kill", ["-9", &pid.to_string()]).ok();
    env.wait_until("the agent is back and ready", || {
        let agent = shown(&env, "a");
        agent["restart"]["count"] == 1 && agent["status"] == "idle"
    });
    symposium(&env, &["agent", "send", "a", "recall"]).ok();
    env.wait_until("the agent recalls its conversation", || {
        shown(&env, "a")["reason"].as_str().is_some_and(|reason| reason.contains("blue"))
    });
}

#[test]
fn a_restart_made_obsolete_by_the_user_is_skipped() {
    // The command of the user between the choice of an agent and its restart, and the expected state afterwards.
    for (verb, status, begun) in [("resume", "working", 2), ("kill", "stopped", 1)] {
        let env = TestEnv::new();
        configure(&env, QUICK);
        let script = "echo x >>starts; [ $(wc -l <starts) -gt 1 ] || { sleep 0.2; exit 3; }; exec sleep 1000";
        let args = ["agent", "spawn", "--name", "a", "--restart", "on-failure", "--", "sh", "-c", script];
        env.symposium(args).outcome();
        let seen = || env.symposium(["agent", "show", "a", "--json"]).ok().json();
        env.wait_until("the agent crashed", || seen()["status"] == "crashed");
        let mut supervisor =
            symposium(&env, &["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", "stop:restart.chosen").start();
        env.wait_until("the supervisor has claimed the task", || supervisor.is_stopped());
        env.symposium(["agent", verb, "a"]).ok();
        supervisor.go_on();
        // The supervisor has finished with `a` when it stops again at another agent that crashed meanwhile.
        let other = ["agent", "spawn", "--name", "b", "--restart", "on-failure", "--", "sh", "-c"];
        env.symposium([&other[..], &["sleep 0.2; exit 3"]].concat()).outcome();
        env.wait_until("the supervisor has planned the next restart", || {
            supervisor.is_stopped() && env.registry()["sessions"]["b"]["restart"]["next_at"].is_string()
        });
        let agent = seen();
        assert_eq!((agent["status"].as_str(), starts(&env)), (Some(status), begun), "after {verb}: {agent}");
        assert_eq!(agent["restart"]["count"], 0, "after {verb}: {agent}");
        supervisor.kill();
    }
}

#[test]
fn an_agent_that_exits_before_its_first_task_is_restarted_with_it() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    let script = "echo x >>starts; [ $(wc -l <starts) -gt 2 ] || { sleep 0.1; exit 1; }";
    env.fake_program("picky", &format!("{script}; exec {} \"$@\"", env.binary()));
    std::fs::write(env.state().join("kinds.toml"), "[demo]\nprogram = ['picky']\n").unwrap();
    let args =
        ["agent", "spawn", "demo", "--name", "a", "--restart", "on-failure", "--task", "remember blue"];
    symposium(&env, &args).outcome();
    env.wait_until("the task is done", || {
        shown(&env, "a")["status"] == "idle" && crate::cli::prompts(&env, "a") == ["remember blue"]
    });
    assert_eq!(starts(&env), 3);
}

#[test]
fn a_running_supervisor_knows_a_kind_added_later() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    symposium(&env, &["agent", "spawn", "--name", "first", "--restart", "always", "--", "sleep", "0.3"])
        .outcome();
    env.wait_until("kinds were read", || shown(&env, "first")["restart"]["count"].as_i64() > Some(0));
    let script = "echo x >>starts; [ $(wc -l <starts) -gt 1 ] || { sleep 0.5; exit 3; }; exec sleep 1000";
    env.fake_program("later", script);
    let kind = "[later]\ntitle = \"Later\"\nprogram = [\"later\"]\n";
    std::fs::write(env.state().join("kinds.toml"), kind).expect("writing kinds.toml");
    symposium(&env, &["agent", "spawn", "later", "--name", "a", "--restart", "on-failure"]).outcome();
    env.wait_until("the agent was restarted", || starts(&env) == 2);
    assert_eq!(shown(&env, "a")["restart"]["count"], 1);
}
