//! A machine without tmux, or with one that is too old: errors explain what to do, and `--foreground` works.

use serde_json::json;

use super::agent;
use crate::support::TestEnv;

/// Commands that need tmux.
const VERBS: [&[&str]; 10] = [
    &["spawn", "demo"],
    &["spawn", "--", "sleep", "1000"],
    &["list"],
    &["show", "a"],
    &["peek", "a"],
    &["send", "a", "x"],
    &["wait", "a", "--for", "idle"],
    &["interrupt", "a"],
    &["kill", "--all"],
    &["restore", "--all"],
];

#[test]
fn without_tmux_commands_explain_how_to_install_it() {
    let env = TestEnv::new();
    env.forget_program("tmux");
    for verb in VERBS {
        let outcome = agent(&env, verb).fails(4);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines[0], "error: tmux is not installed, or not in PATH", "{verb:?}");
        assert!(
            lines[1].starts_with("hint: install it: ") && lines[1].contains("tmux"),
            "{verb:?}: {lines:?}"
        );
        assert_eq!(
            lines[2],
            "hint: or run the agent in this terminal: `symposium agent spawn --foreground …`"
        );
    }
    assert!(!env.state().join("agent-sessions.json").exists(), "nothing was created");
}

#[test]
fn an_old_or_unknown_tmux_is_refused() {
    let env = TestEnv::new();
    env.fake_program("tmux", "echo tmux 3.1c");
    let outcome = agent(&env, &["list"]).fails(4);
    assert!(
        outcome
            .stderr
            .starts_with("error: tmux is too old: found 3.1c, 3.2 or newer is needed\nhint: install it: "),
        "{outcome:?}"
    );
    agent(&env, &["spawn", "--", "sleep", "1000"]).fails(4);
    env.fake_program("tmux", "echo something else entirely");
    agent(&env, &["list"]).fails(4);
}

#[test]
fn a_foreground_agent_needs_no_tmux_and_is_recorded() {
    let env = TestEnv::new();
    env.forget_program("tmux");
    let script = "echo running as $SYMPOSIUM_AGENT; while [ ! -e go ]; do sleep 0.02; done; exit 5";
    let running = agent(&env, &["spawn", "--foreground", "--name", "a", "--", "sh", "-c", script]).start();
    env.wait_until("the agent is running", || running.stdout_so_far() == "running as a\n");
    env.wait_until("the agent is recorded", || {
        env.registry()["sessions"]["a"]["status"]["status"] == "working"
    });
    let record = env.registry()["sessions"]["a"].clone();
    assert!(record["pid"].is_i64() && record["tmux"].is_null(), "{record}");
    let listed = agent(&env, &["list", "--json"]).ok();
    assert_eq!(listed.json()[0]["status"], "working", "{listed:?}");
    std::fs::write(env.project().join("go"), "").unwrap();
    let outcome = running.finish().fails(5);
    assert_eq!(outcome.stderr, "agent `a` ended with code 5\n");
    let record = env.registry()["sessions"]["a"].clone();
    assert_eq!(
        (&record["status"]["status"], &record["exit"]),
        (&json!("crashed"), &json!({"code": 5, "signal": null}))
    );
}

#[test]
fn without_tmux_recorded_agents_are_listed_with_a_warning() {
    let env = TestEnv::new();
    super::spawned(&env, &["--name", "inside", "--", "sleep", "1000"]);
    agent(&env, &["spawn", "--foreground", "--name", "outside", "--", "true"]).ok();
    env.forget_program("tmux");
    let unknown = "tmux is not installed, or not in PATH; the list shows the stored status, and it is unknown which agents are still running";
    let listed = agent(&env, &["list", "--all", "--json"]).ok();
    assert_eq!(listed.stderr, format!("{}\n", serde_json::json!({ "warning": unknown })));
    let status = |name: &str| {
        let all = listed.json();
        let one = all.as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
        one.map(|one| one["status"].clone())
    };
    assert_eq!((status("inside"), status("outside")), (Some("unknown".into()), Some("exited".into())));
    for verb in ["show", "recap"] {
        let outcome = agent(&env, &[verb, "outside"]).ok();
        assert!(outcome.stderr.contains(unknown) && !outcome.stdout.is_empty(), "{outcome:?}");
    }
    let metrics = env.symposium(["metrics"]).ok();
    assert!(metrics.stdout.contains("status=\"unknown\"} 1"), "{metrics:?}");
    for verb in [&["peek", "inside"][..], &["wait", "inside", "--for", "idle"], &["send", "inside", "x"]] {
        let outcome = agent(&env, verb).fails(4);
        assert!(outcome.stderr.contains("error: tmux is not installed"), "{outcome:?}");
    }
    agent(&env, &["prune"]).ok();
    assert_eq!(env.registry()["sessions"]["outside"], json!(null), "it was not in tmux");
    assert!(env.registry()["sessions"]["inside"].is_object());
}

#[test]
fn a_foreground_agent_talks_to_its_terminal() {
    let env = TestEnv::new();
    env.forget_program("tmux");
    let terminal = env.terminal([
        env.binary(),
        "agent",
        "spawn",
        "--foreground",
        "demo",
        "--name",
        "a",
        "--task",
        "hello",
    ]);
    terminal.wait_for_text("You said: hello");
    terminal.type_text("/exit");
    terminal.keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "exited");
}

#[test]
fn a_foreground_agent_can_be_resumed_in_tmux() {
    let env = TestEnv::new();
    agent(&env, &["spawn", "--foreground", "demo", "--name", "a", "--task", "remember the milk"])
        .stdin("")
        .ok();
    agent(&env, &["resume", "a"]).ok();
    super::wait_for(&env, "a", "idle");
    assert_eq!(super::prompts(&env, "a"), ["remember the milk"]);
    let socket = super::shown(&env, "a")["tmux"]["socket"].clone();
    assert_eq!(socket, env.socket().to_str().unwrap(), "it runs on the server of the spawner");
}

#[test]
fn a_foreground_agent_is_lost_when_its_terminal_dies() {
    let env = TestEnv::new();
    let mut running =
        agent(&env, &["spawn", "--foreground", "--name", "a", "--", "sh", "-c", "echo up; exec sleep 1000"])
            .start();
    env.wait_until("the agent is running", || running.stdout_so_far() == "up\n");
    env.wait_until("the agent is recorded", || super::status(&env, "a") == "working");
    assert_eq!(super::shown(&env, "a")["reason"], "it runs in the foreground of a terminal");
    running.kill();
    let sleep = env.processes().into_iter().find(|one| one.command == "sleep 1000");
    if let Some(pid) = sleep.and_then(|one| rustix::process::Pid::from_raw(one.pid)) {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    env.wait_until("the agent is lost", || super::status(&env, "a") == "lost");
}

#[test]
fn the_exit_of_a_renamed_foreground_agent_is_recorded() {
    let env = TestEnv::new();
    let script = "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 5";
    let running = agent(&env, &["spawn", "--foreground", "--name", "a", "--", "sh", "-c", script]).start();
    env.wait_until("the agent is recorded", || {
        running.stdout_so_far() == "up\n" && env.registry()["sessions"]["a"]["status"]["status"] == "working"
    });
    agent(&env, &["rename", "a", "b"]).ok();
    std::fs::write(env.project().join("go"), "").unwrap();
    running.finish().fails(5);
    assert_eq!(env.registry()["sessions"]["b"]["exit"], json!({"code": 5, "signal": null}));
}
