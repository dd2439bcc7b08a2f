//! The first task of an agent is neither lost when its program exits before taking it, nor delivered twice.

use super::{agent, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Makes the demo agent exit at once, as without a login, until its directory contains `logged-in`.
fn not_logged_in(env: &TestEnv, more: &str) {
    use std::os::unix::fs::DirBuilderExt;
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(env.state()).unwrap();
    let leaves = "[ -e logged-in ] || { echo 'Please run /login'; sleep 0.1; exit 1; }";
    env.fake_program("picky", &format!("{leaves}; exec {} \"$@\"", env.binary()));
    std::fs::write(env.state().join("kinds.toml"), format!("[demo]\nprogram = ['picky']\n{more}")).unwrap();
}

fn log_in(env: &TestEnv) {
    std::fs::write(env.project().join("logged-in"), "").unwrap();
}

#[test]
fn an_agent_that_exited_before_its_first_task_restarts_with_it() {
    for verb in ["restart", "resume"] {
        let env = TestEnv::new();
        not_logged_in(&env, "");
        // On a busy machine it exits too late for spawn to see it.
        agent(&env, &["spawn", "demo", "--name", "a", "--task", "remember blue"]).outcome();
        wait_for(&env, "a", "crashed");
        agent(&env, &[verb, "a"]).outcome();
        wait_for(&env, "a", "crashed");
        log_in(&env);
        let outcome = agent(&env, &[verb, "a"]).ok();
        assert_eq!(outcome.stderr, "`a` starts again with its task, which it had not accepted\n");
        wait_for(&env, "a", "idle");
        assert_eq!(prompts(&env, "a"), ["remember blue"], "{verb}");
        agent(&env, &[verb, "a"]).outcome();
        agent(&env, &["kill", "a"]).ok();
        let outcome = agent(&env, &[verb, "a"]).ok();
        assert_eq!(env.redacted(&outcome.stderr), "`a` continues conversation [UUID]\n");
        wait_for(&env, "a", "idle");
        assert_eq!(prompts(&env, "a"), ["remember blue"], "{verb}");
    }
}

#[test]
fn a_typed_first_task_is_kept_after_an_early_exit() {
    let env = TestEnv::new();
    not_logged_in(&env, "prompt = 'keys'\n");
    agent(&env, &["spawn", "demo", "--name", "a", "--task", "remember blue"]).outcome();
    wait_for(&env, "a", "crashed");
    log_in(&env);
    agent(&env, &["restart", "a"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["remember blue"]);
}

#[test]
fn a_first_task_whose_hook_was_missed_is_not_given_twice() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember blue"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    // The state after everything was killed before the hook arrived: the conversation exists nevertheless.
    std::fs::write(env.state().join("instances/a/state/first-prompt"), "remember blue").unwrap();
    env.edit_registry(|registry| registry["sessions"]["a"]["conversation"]["begun"] = false.into());
    agent(&env, &["resume", "a"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!((prompts(&env, "a"), status(&env, "a").as_str()), (vec!["remember blue".to_owned()], "idle"));
}

#[test]
fn a_fresh_restart_after_an_early_exit_keeps_the_first_task() {
    let env = TestEnv::new();
    not_logged_in(&env, "");
    agent(&env, &["spawn", "demo", "--name", "a", "--task", "remember blue"]).outcome();
    wait_for(&env, "a", "crashed");
    log_in(&env);
    agent(&env, &["restart", "a", "--fresh"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["remember blue"], "a new conversation with the task");
    assert_eq!(shown(&env, "a")["conversation"]["begun"], true);
}

/// Makes the demo agent ask a first-run question until its directory contains `logged-in`, and exit after any answer
/// once `leave` exists.
fn behind_a_gate(env: &TestEnv) {
    super::without_settling(env, &[]);
    let asks = "echo 'Do you trust this folder?'; read -r answer; printf '\\033[2J\\033[HBye.\\n'";
    let leaves = "while ! [ -e leave ]; do sleep 0.05; done; exit 1";
    env.fake_program(
        "gated",
        &format!("[ -e logged-in ] || {{ {asks}; {leaves}; }}; exec {} \"$@\"", env.binary()),
    );
    let kind = "[demo]\nprogram = ['gated']\n[demo.screen]\nsetup = ['^Do you trust this folder\\?']\n";
    std::fs::write(env.state().join("kinds.toml"), kind).unwrap();
}

#[test]
fn a_declined_first_run_question_keeps_the_first_task() {
    for task in [Some("remember blue"), None] {
        let env = TestEnv::new();
        behind_a_gate(&env);
        let mut words = vec!["demo", "--name", "a"];
        words.extend(task.iter().flat_map(|task| ["--task", task]));
        spawned(&env, &words);
        wait_for(&env, "a", "waiting");
        let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
        terminal.wait_for_text("Do you trust this folder?");
        terminal.keys(&["n", "Enter"]);
        terminal.wait_for_text("Bye.");
        env.wait_until("the question is closed", || status(&env, "a") != "waiting");
        std::fs::write(env.project().join("leave"), "").unwrap();
        wait_for(&env, "a", "crashed");
        log_in(&env);
        let outcome = agent(&env, &["resume", "a"]).ok();
        let output = match task {
            Some(_) => "`a` starts again with its task, which it had not accepted\n",
            None => "`a` starts with an empty conversation: it had none yet\n",
        };
        assert_eq!(outcome.stderr, output);
        wait_for(&env, "a", "idle");
        if let Some(task) = task {
            env.wait_until("the task is accepted", || !prompts(&env, "a").is_empty());
            assert_eq!(prompts(&env, "a"), [task]);
        }
    }
}
