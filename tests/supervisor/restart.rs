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

#[test]
fn a_notice_does_not_wait_for_a_restart_that_has_to_make_room() {
    let env = TestEnv::new();
    // The command records the notice, and whether the agent that makes room is still running.
    let (told, pid) = (env.home().join("told"), env.home().join("pid"));
    let script = format!(
        "cat >>{0}; kill -0 $(cat {1}) 2>>{0} && echo ' while it runs' >>{0}; echo >>{0}",
        told.display(),
        pid.display()
    );
    let notify = format!("[notify]\ncommand = [\"sh\", \"-c\", \"{script}\"]\n");
    configure(&env, &format!("max_agents = 3\n{QUICK}{notify}"));
    let ready = format!(
        "echo '{{\"hook_event_name\":\"SessionStart\",\"session_id\":\"x\"}}' | {} event agent",
        env.binary()
    );
    let slow = format!(
        "trap '' HUP INT\ntrap 'echo x >$HOME/asked' TERM\necho $$ >$HOME/pid\n{ready}\nwhile :; do sleep 1; done"
    );
    env.fake_program("claude", &slow);
    // Without a supervisor, so that the restart is due only when it has to make room.
    let alone = |args: &[&str]| env.symposium(args);
    alone(&["agent", "spawn", "claude", "--name", "slow"]).ok();
    alone(&["agent", "wait", "slow", "--for", "idle", "--timeout", "20s"]).ok();
    alone(&["agent", "spawn", "demo", "--name", "asks"]).ok();
    let crashes = "while [ ! -e go ]; do sleep 0.05; done; exit 3";
    alone(&["agent", "spawn", "--name", "a", "--restart", "on-failure", "--", "sh", "-c", crashes]).ok();
    std::fs::write(env.project().join("go"), "").unwrap();
    env.wait_until("the agent crashed", || {
        alone(&["agent", "show", "a", "--json"]).ok().json()["status"] == "crashed"
    });
    alone(&["agent", "spawn", "--name", "other", "--", "sleep", "1000"]).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the idle agent is asked to end", || env.home().join("asked").exists());
    symposium(&env, &["agent", "send", "asks", "/ask make"]).ok();
    let notice = || {
        let text = std::fs::read_to_string(&told).unwrap_or_default();
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.find(|line| line.contains("asks waits for approval")).map(str::to_owned)
    };
    env.wait_until("the approval is announced", || notice().is_some());
    let notice = notice().unwrap_or_default();
    assert!(notice.contains("while it runs"), "it was announced only after the restart: {notice}");
    env.wait_until("the agent was restarted", || shown(&env, "a")["restart"]["count"] == 1);
}

#[test]
fn a_supervisor_that_receives_an_end_signal_completes_the_restart_in_progress() {
    let env = TestEnv::new();
    configure(&env, QUICK);
    let script = "echo x >>starts; [ $(wc -l <starts) -gt 1 ] || { sleep 0.2; exit 3; }; exec sleep 1000";
    let args = ["agent", "spawn", "--name", "a", "--restart", "on-failure", "--", "sh", "-c", script];
    env.symposium(args).outcome();
    let status = || env.symposium(["agent", "show", "a", "--json"]).ok().json()["status"].clone();
    env.wait_until("the agent crashed", || status() == "crashed");
    let supervisor =
        symposium(&env, &["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", "stop:restart.noted").start();
    env.wait_until("the restart is in progress", || supervisor.is_stopped());
    env.program("kill", ["-TERM", &supervisor.pid().to_string()]).ok();
    supervisor.go_on();
    supervisor.finish().ok();
    assert_eq!((status(), starts(&env)), ("working".into(), 2));
}
