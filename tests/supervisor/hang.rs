//! Restarts of hung agents: they follow the restart policy of crashes, including its limit.

use super::{configure, shown, symposium};
use crate::support::TestEnv;

/// Configures short delays, restarts of hung agents, and a command that receives all notices.
fn hasty(env: &TestEnv, most: u32) {
    let notices = env.home().join("told");
    configure(
        env,
        &format!(
            "[supervisor]\nreconcile = \"1s\"\n[restart]\nfirst = \"50ms\"\nlongest = \"200ms\"\nmost = {most}\nhung = true\n\
             [notify]\ncommand = [\"sh\", \"-c\", \"cat >>{0}; echo >>{0}\"]\nper_minute = 1000\n",
            notices.display()
        ),
    );
    std::fs::write(env.state().join("kinds.toml"), "[demo]\nhang_after_s = 1\n").unwrap();
}

/// Makes the agent hang and waits for the expected result.
#[track_caller]
fn hang_until(env: &TestEnv, what: &str, is: impl Fn(&serde_json::Value) -> bool) {
    symposium(env, &["agent", "send", "a", "/hang"]).ok();
    env.wait_until(what, || is(&shown(env, "a")));
}

#[test]
fn a_hung_agent_is_restarted_with_environment_and_conversation() {
    let env = TestEnv::new();
    hasty(&env, 3);
    let args =
        ["agent", "spawn", "demo", "--name", "a", "--restart", "on-failure", "--task", "remember blue"];
    symposium(&env, &args).env("SECRET", "of the spawner").ok();
    symposium(&env, &["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    hang_until(&env, "it is back at its prompt", |agent| {
        agent["status"] == "idle" && agent["restart"]["count"] == 1
    });
    let pid = shown(&env, "a")["pid"].as_i64().expect("the program is running");
    let has = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert!(has.split('\0').any(|variable| variable == "SECRET=of the spawner"), "{has}");
    let notices = || std::fs::read_to_string(env.home().join("told")).unwrap_or_default();
    env.wait_until("the notice is sent", || notices().contains("\"a crashed\""));
    assert!(notices().contains("no sign of life: no output and no child process"), "{}", notices());
    let metrics = symposium(&env, &["metrics"]).ok().stdout;
    assert!(
        metrics.lines().any(|line| line.starts_with("symposium_restarts") && line.ends_with(" 1")),
        "{metrics}"
    );
    symposium(&env, &["agent", "send", "a", "recall"]).ok();
    env.wait_until("the agent recalls its conversation", || {
        shown(&env, "a")["reason"].as_str().is_some_and(|reason| reason.contains("blue"))
    });
}

#[test]
fn a_hung_agent_is_restarted_after_the_supervisor_was_killed() {
    let env = TestEnv::new();
    hasty(&env, 3);
    let args = ["agent", "spawn", "demo", "--name", "a", "--restart", "on-failure", "--task", "/hang"];
    env.symposium(args).ok();
    env.symposium(["agent", "wait", "a", "--for", "working", "--timeout", "20s"]).ok();
    let mut supervisor =
        symposium(&env, &["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", "stop:hang.ended").start();
    env.wait_until("the supervisor is stopped at the failpoint", || supervisor.is_stopped());
    supervisor.kill();
    env.wait_until("the supervisor has ended", || super::supervision(&env)["running"] == false);
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the agent is back at its prompt", || shown(&env, "a")["status"] == "idle");
}
