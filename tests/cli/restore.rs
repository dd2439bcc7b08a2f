//! `agent restore` resumes all agents after a reboot, simulated by ending the tmux server.

use insta::assert_snapshot;

use super::{agent, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Does to tmux and all processes in it what a power cut does.
fn reboot(env: &TestEnv) {
    env.tmux(["kill-server"]).ok();
    env.wait_until("all processes have ended", || env.processes().is_empty());
}

#[test]
fn restore_resumes_every_agent_after_a_reboot() {
    let env = TestEnv::new();
    let dir = env.home().display().to_string();
    spawned(&env, &["demo", "--name", "talk", "--task", "remember the milk"]);
    spawned(&env, &["--name", "serve", "--dir", &dir, "--", "sh", "-c", "pwd; exec sleep 1000"]);
    spawned(&env, &["--name", "ended", "--", "sleep", "1000"]);
    agent(&env, &["kill", "ended"]).ok();
    wait_for(&env, "talk", "idle");
    let id = shown(&env, "talk")["conversation"]["id"].clone();
    reboot(&env);
    assert_eq!(shown(&env, "talk")["reason"], "its tmux server is gone (reboot or crash)");
    assert_eq!((status(&env, "serve").as_str(), status(&env, "ended").as_str()), ("lost", "stopped"));
    let outcome = agent(&env, &["restore", "--all"]).ok();
    assert_snapshot!(env.redacted(&outcome.stderr), @"
    `serve` runs its command again
    `talk` continues conversation [UUID]
    ");
    wait_for(&env, "talk", "idle");
    assert_eq!(shown(&env, "talk")["conversation"]["id"], id);
    assert_eq!(shown(&env, "serve")["working_directory"], dir);
    agent(&env, &["send", "talk", "recall"]).ok();
    wait_for(&env, "talk", "idle");
    assert_eq!(prompts(&env, "talk"), ["remember the milk", "recall"]);
    assert_eq!(status(&env, "ended"), "stopped");
}

#[test]
fn restore_without_all_lists_lost_agents_and_does_nothing() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    reboot(&env);
    assert_snapshot!(agent(&env, &["restore"]).fails(2).stderr, @"
    error: 2 agents are lost: a, b
    hint: `symposium agent restore --all` brings all of them back
    ");
    assert!(env.processes().is_empty());
    agent(&env, &["restore", "b"]).ok();
    assert_eq!((status(&env, "a").as_str(), status(&env, "b").as_str()), ("lost", "working"));
}

#[test]
fn restore_without_lost_agents_reports_it() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    for args in [&["restore"][..], &["restore", "--all"]] {
        assert_eq!(agent(&env, args).ok().stderr, "no agent is lost\n");
    }
    assert_eq!(agent(&env, &["restore", "--all", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn restore_reports_failures_and_restores_the_others() {
    let env = TestEnv::new();
    let gone = env.root().join("gone");
    std::fs::create_dir(&gone).unwrap();
    spawned(&env, &["--name", "bad", "--dir", gone.to_str().unwrap(), "--", "sleep", "1000"]);
    spawned(&env, &["--name", "good", "--", "sleep", "1000"]);
    reboot(&env);
    std::fs::remove_dir(&gone).unwrap();
    let outcome = agent(&env, &["restore", "--all"]).fails(1);
    assert_snapshot!(env.redacted(&outcome.stderr), @"
    error: agent `bad` cannot work in `[ROOT]/gone`: it no longer exists
    hint: restore the directory, or remove the agent with `symposium agent rm bad`
    `good` runs its command again
    ");
    assert_eq!((status(&env, "bad").as_str(), status(&env, "good").as_str()), ("lost", "working"));
    let outcome = agent(&env, &["restore", "--all", "--json"]).fails(1);
    assert_eq!(outcome.json()[0]["restored"], false);
}

#[test]
fn restoring_many_agents_shows_a_progress_bar() {
    let env = TestEnv::new();
    let spawns: Vec<_> = (0..6)
        .map(|n| agent(&env, &["spawn", "--name", &format!("a{n}"), "--", "sleep", "1000"]).start())
        .collect();
    spawns.into_iter().for_each(|spawn| drop(spawn.finish().ok()));
    reboot(&env);
    // An agent of another environment serves as a terminal whose every byte is recorded.
    let other = env.root().join("other").display().to_string();
    let main = env.state().display().to_string();
    let command = ["--", env.binary(), "--home", &main, "agent", "restore", "--all"];
    env.symposium(["--home", &other, "agent", "spawn", "--name", "r"].iter().chain(&command)).ok();
    env.symposium(["--home", &other, "agent", "wait", "r", "--for", "exited", "--timeout", "20s"]).ok();
    let shown = env.symposium(["--home", &other, "agent", "logs", "r"]).ok().stdout;
    assert!(shown.contains("restoring") && shown.contains("/6"), "{shown}");
    let working = agent(&env, &["list", "--status", "working", "--json"]).ok().json();
    assert_eq!(working.as_array().map(Vec::len), Some(6));
}

#[test]
fn an_agent_restored_by_another_command_is_not_a_failure() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    reboot(&env);
    let start = |args: &[&str]| {
        let run = agent(&env, args).env("SYMPOSIUM_FAILPOINT", "stop:restore.begun").start();
        env.wait_until("the command has found the lost agents", || run.is_stopped());
        run
    };
    let (words, json) = (start(&["restore", "--all"]), start(&["restore", "--all", "--json"]));
    agent(&env, &["restore", "--all"]).ok();
    words.go_on();
    assert_eq!(words.finish().ok().stderr, "`a` is already running\n`b` is already running\n");
    json.go_on();
    let back = |name| serde_json::json!({"name": name, "restored": false, "remark": "is already running"});
    assert_eq!(json.finish().ok().json(), serde_json::json!([back("a"), back("b")]));
    let outcome = agent(&env, &["restore", "a"]).fails(1);
    assert!(outcome.stderr.starts_with("error: agent `a` is still running"), "{outcome:?}");
}

#[test]
fn a_program_that_outlived_its_terminal_is_ended_before_restore() {
    let env = TestEnv::new();
    let script = "trap '' HUP; echo ready; while :; do sleep 45678; done";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the program ignores hang-ups", || super::printed(&env, "a").contains("ready"));
    let sleeps = || env.processes().iter().filter(|one| one.command == "sleep 45678").count();
    env.wait_until("the program is running", || sleeps() == 1);
    env.tmux(["kill-server"]).ok();
    env.wait_until("the agent is lost", || status(&env, "a") == "lost");
    assert_eq!(sleeps(), 1, "its process is still there");
    let stderr = agent(&env, &["restore", "--all"]).ok().stderr;
    assert!(stderr.contains("2 processes of `a` had outlived its terminal and were ended"), "{stderr}");
    assert_eq!(status(&env, "a"), "working");
    env.wait_until("the program runs again", || sleeps() > 0);
    assert_eq!(sleeps(), 1);
}

#[test]
fn cut_off_agents_are_reported_and_can_be_told_to_continue() {
    let env = TestEnv::new();
    for (name, prompt) in [("turn", "/work 10m"), ("dialog", "/ask make clean"), ("done", "hello")] {
        spawned(&env, &["demo", "--name", name]);
        wait_for(&env, name, "idle");
        agent(&env, &["send", name, prompt]).ok();
    }
    wait_for(&env, "turn", "working");
    wait_for(&env, "dialog", "waiting");
    env.wait_until("the agent has replied", || shown(&env, "done")["reason"] != "it is ready for a prompt");
    wait_for(&env, "done", "idle");
    reboot(&env);
    assert_eq!(status(&env, "turn"), "lost");
    agent(&env, &["restore", "--all"]).ok();
    for name in ["turn", "dialog", "done"] {
        wait_for(&env, name, "idle");
    }
    let reason = |name: &str| shown(&env, name)["reason"].as_str().unwrap().to_owned();
    let is_cut_off = |name: &str, during: &str| {
        let reason = reason(name);
        assert!(reason.starts_with("cut off at ") && reason.contains(during), "{reason}");
    };
    is_cut_off("turn", " in the middle of a turn");
    is_cut_off("dialog", " while it waited for approval: ");
    assert!(!reason("done").contains("cut off"), "{}", reason("done"));
    assert_eq!(shown(&env, "turn")["cut_off"]["status"], "working");
    assert!(agent(&env, &["list"]).ok().stdout.contains("cut off at "));
    let stderr = agent(&env, &["restore", "--all", "--continue"]).ok().stderr;
    assert_eq!(stderr, "`dialog` was asked to continue\n`turn` was asked to continue\n");
    for name in ["turn", "dialog"] {
        let last = prompts(&env, name).pop().unwrap();
        assert!(last.contains("continue where you left off"), "{last}");
        env.wait_until("the cut-off mark is removed", || shown(&env, name)["cut_off"].is_null());
    }
}

#[test]
fn restore_names_variables_that_the_shell_lacks() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        let spawn = ["spawn", "--name", name, "--", "sleep", "1000"];
        agent(&env, &spawn).env("MY_API_KEY", "dummy-value").env("OTHER", "x").ok();
    }
    for name in ["a", "b"] {
        let note = std::fs::read_to_string(env.state().join(format!("instances/{name}/spec.json"))).unwrap();
        assert!(note.contains("MY_API_KEY") && !note.contains("dummy-value"), "{note}");
    }
    reboot(&env);
    let stderr = agent(&env, &["restore", "--all"]).ok().stderr;
    let warning = "warning: 2 agents had MY_API_KEY when they were spawned, this shell does not: a, b\n";
    assert!(stderr.contains(warning) && !stderr.contains("OTHER"), "{stderr}");
    agent(&env, &["kill", "a"]).ok();
    let stderr = agent(&env, &["resume", "a"]).env("MY_API_KEY", "dummy-value").ok().stderr;
    assert!(!stderr.contains("MY_API_KEY"), "{stderr}");
}
