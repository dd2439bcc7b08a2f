//! A worktree spawn that is killed at any step: the agent is listed, and `rm` removes it completely.

use super::*;

fn git(env: &TestEnv, args: &[&str]) -> String {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    env.program("git", who.iter().chain(args)).ok().stdout.trim_end().to_owned()
}

fn repository() -> TestEnv {
    let env = TestEnv::new();
    git(&env, &["init", "-q", "-b", "main"]);
    fs::write(env.project().join("a"), "1\n").unwrap();
    git(&env, &["add", "-A"]);
    git(&env, &["commit", "-q", "-m", "first"]);
    env
}

#[track_caller]
fn assert_gone(env: &TestEnv, name: &str) {
    assert!(find(env, name).is_none());
    assert!(!env.state().join("instances").join(name).exists());
    assert!(!env.project().join(".git/worktrees").exists());
    assert_eq!(git(env, &["branch", "--list", "symposium/*"]), "");
}

#[test]
fn a_worktree_spawn_killed_at_any_step_is_cleaned_up_by_rm() {
    let env = repository();
    sleeper(&env, "bystander");
    for step in ["worktree.noted", "worktree.added", "worktree.copied", "worktree.ready", "spawn.instance"] {
        let spawn = ["agent", "spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
        let outcome = env.symposium(spawn).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(outcome.code, 137, "{step}: {outcome:?}");
        assert_in_order(&env);
        let found = agent(&env, "a");
        assert_eq!(found["status"], "crashed", "{step}: {found}");
        if !["worktree.ready", "spawn.instance"].contains(&step) {
            env.symposium(["agent", "resume", "a"]).fails(1);
        }
        env.symposium(["agent", "rm", "a"]).ok();
        assert_gone(&env, "a");
    }
    let spawn = ["agent", "spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
    let outcome = env.symposium(spawn).env("SYMPOSIUM_FAILPOINT", "launch.started").outcome();
    assert_eq!(outcome.code, 137);
    assert_eq!(status(&env, "a"), "working");
    for step in ["rm.killed", "rm.worktree", "rm.files"] {
        if find(&env, "a").is_none() {
            env.symposium(spawn).ok();
        }
        let outcome =
            env.symposium(["agent", "rm", "--force", "a"]).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(outcome.code, 137, "{step}");
        assert_eq!(status(&env, "a"), "stopped");
        env.symposium(["agent", "rm", "a"]).ok();
        assert!(find(&env, "a").is_none(), "{step}");
        assert!(!env.project().join(".git/worktrees").exists(), "{step}");
        // After a kill behind the removal of its files the record of its branch is gone too: the empty branch stays and
        // is reused.
        env.symposium(spawn).ok();
    }
    assert_eq!(status(&env, "bystander"), "working");
}

#[test]
fn an_agent_whose_worktree_is_being_set_up_is_starting() {
    let env = repository();
    sleeper(&env, "bystander");
    let gate = env.root().join("gate");
    fs::write(
        env.state().join("config.toml"),
        format!("[workspace]\nsetup = ['while ! test -e {}; do sleep 0.05; done']\n", gate.display()),
    )
    .unwrap();
    let spawn = ["agent", "spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
    let running = env.symposium(spawn).start();
    env.wait_until("the record is stored", || find(&env, "a").is_some());
    let found = agent(&env, "a");
    assert_eq!((&found["status"], &found["reason"]), (&"starting".into(), &"it is being prepared".into()));
    fs::write(&gate, "").unwrap();
    running.finish().ok();
    assert_eq!(status(&env, "a"), "working");
}
