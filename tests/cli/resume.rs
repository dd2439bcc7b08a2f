//! `agent resume`: ended agents start again, in their directory and with their conversation.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, printed, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn a_killed_agent_resumes_with_its_conversation() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    let before = shown(&env, "a");
    agent(&env, &["kill", "a"]).ok();
    let outcome = agent(&env, &["resume", "a"]).ok();
    assert_eq!(outcome.stdout, "a\n");
    assert_eq!(env.redacted(&outcome.stderr), "`a` continues conversation [UUID]\n");
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "recall"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["remember the milk", "recall"]);
    let after = shown(&env, "a");
    assert!(after["reason"].as_str().unwrap().contains("the milk"), "{after}");
    for same in ["id", "working_directory", "created_at", "conversation", "command"] {
        assert_eq!(before[same], after[same], "{same}");
    }
}

#[test]
fn a_crashed_agent_resumes_in_its_old_pane() {
    let env = TestEnv::new();
    agent(&env, &["spawn", "demo", "--name", "a", "--task", "/crash 3"]).outcome();
    wait_for(&env, "a", "crashed");
    let crashed = shown(&env, "a");
    assert_eq!(
        (&crashed["exit"], &crashed["reason"]),
        (&json!({"code": 3, "signal": null}), &json!("it ended with code 3"))
    );
    agent(&env, &["resume", "a"]).ok();
    wait_for(&env, "a", "idle");
    let after = shown(&env, "a");
    assert_eq!((&after["exit"], &after["tmux"]), (&json!(null), &crashed["tmux"]));
    assert!(printed(&env, "a").contains("told to crash"), "the transcript continues");
}

#[test]
fn a_command_runs_again_with_its_directory_and_variables() {
    let env = TestEnv::new();
    let dir = env.root().join("some where");
    std::fs::create_dir(&dir).unwrap();
    let script = "echo \"$PWD $A\" >> \"$HOME/ran\"; exec sleep 1000";
    spawned(
        &env,
        &["--name", "a", "--dir", dir.to_str().unwrap(), "--env", "A=b c", "--", "sh", "-c", script],
    );
    let ran = || std::fs::read_to_string(env.home().join("ran")).unwrap_or_default();
    env.wait_until("the command ran", || !ran().is_empty());
    agent(&env, &["kill", "a"]).ok();
    let outcome = agent(&env, &["resume", "a"]).ok();
    assert_eq!(outcome.stderr, "`a` runs its command again\n");
    let line = format!("{} b c\n", dir.display());
    env.wait_until("the command ran again", || ran() == line.repeat(2));
}

#[test]
fn resume_reports_an_empty_conversation() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    let outcome = agent(&env, &["resume", "a", "--json"]).ok();
    assert_eq!(outcome.json()["name"], "a");
    agent(&env, &["kill", "a"]).ok();
    let outcome = agent(&env, &["resume", "a"]).ok();
    assert_eq!(outcome.stderr, "`a` starts with an empty conversation: it had none yet\n");
}

#[test]
fn a_failed_resume_is_reported_and_changes_nothing() {
    let env = TestEnv::new();
    let dir = env.root().join("gone");
    std::fs::create_dir(&dir).unwrap();
    spawned(&env, &["--name", "a", "--dir", dir.to_str().unwrap(), "--", "sleep", "1000"]);
    assert_snapshot!(agent(&env, &["resume", "a"]).fails(1).stderr, @"
    error: agent `a` is still running
    hint: `symposium agent attach a` shows it, `symposium agent restart a` starts it again
    ");
    agent(&env, &["kill", "a"]).ok();
    std::fs::remove_dir(&dir).unwrap();
    assert_snapshot!(env.redacted(&agent(&env, &["resume", "a"]).fails(1).stderr), @"
    error: agent `a` cannot work in `[ROOT]/gone`: it no longer exists
    hint: restore the directory, or remove the agent with `symposium agent rm a`
    ");
    assert_eq!(status(&env, "a"), "stopped");
    assert_snapshot!(agent(&env, &["resume", "b"]).fails(3).stderr, @"
    error: no agent named `b`
      known agents: a
    hint: `symposium agent list --all` shows them
    ");
}

#[test]
fn resume_reports_an_uninstalled_program_and_finds_a_moved_one() {
    let env = TestEnv::new();
    super::without_settling(&env, &["claude"]);
    env.fake_program("claude", "exec sleep 1000");
    spawned(&env, &["claude", "--name", "a"]);
    agent(&env, &["kill", "a", "--grace", "0"]).ok();
    env.forget_program("claude");
    assert_snapshot!(env.redacted(&agent(&env, &["resume", "a"]).fails(1).stderr), @"
    error: `[ROOT]/fakes/claude` is not installed, or not in PATH
      nothing was started
    hint: npm install -g @anthropic-ai/claude-code
    hint: or try `symposium agent spawn demo`
    ");
    let bin = env.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::rename(env.fake_program("claude", "exec sleep 1000"), bin.join("claude")).unwrap();
    let path = format!("{}:{}/tools", bin.display(), env.root().display());
    agent(&env, &["resume", "a"]).env("PATH", path).ok();
    assert_eq!(shown(&env, "a")["command"][0], bin.join("claude").to_str().unwrap());
}

#[test]
fn resume_refuses_an_agent_in_the_foreground() {
    let env = TestEnv::new();
    let foreground = agent(&env, &["spawn", "--name", "a", "--foreground", "--", "sleep", "1000"]).start();
    env.wait_until("the agent is running", || {
        env.state().join("agent-sessions.json").exists()
            && env.registry()["sessions"]["a"]["status"]["status"] == "working"
    });
    let refused = agent(&env, &["resume", "a"]).fails(1);
    assert!(refused.stderr.contains("still running"), "{refused:?}");
    agent(&env, &["kill", "a"]).ok();
    foreground.finish();
    assert_eq!(status(&env, "a"), "stopped");
}
