//! `agent discard`: the work is named, removed with worktree and branch, and comes back with `agent recover`.

use std::fs;

use insta::assert_snapshot;

use super::workspace::{git, repository, workspace};
use super::{agent, spawned};
use crate::support::TestEnv;

/// Starts an agent with a commit, a changed file and an untracked file.
fn agent_with_work(env: &TestEnv, name: &str) {
    spawned(env, &["--name", name, "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(env, name);
    fs::write(at.join("committed"), "one\n").unwrap();
    git(env, &at, &["add", "committed"]);
    git(env, &at, &["commit", "-q", "-m", "add a file"]);
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    fs::write(at.join("new"), "new\n").unwrap();
}

#[track_caller]
fn assert_gone(env: &TestEnv, name: &str) {
    assert!(!workspace(env, name).exists());
    assert_eq!(git(env, &env.project(), &["branch", "--list", "symposium/*"]), "");
    assert!(!env.project().join(".git/worktrees").exists());
    agent(env, &["show", name]).fails(3);
}

/// Checks that the recovered branch has the commit and the uncommitted files.
#[track_caller]
fn assert_recovered(env: &TestEnv, name: &str) {
    let back = agent(env, &["recover", name, "--json"]).ok().json();
    let branch = back["branch"].as_str().unwrap();
    let show = |path: &str| git(env, &env.project(), &["show", &format!("{branch}:{path}")]);
    assert_eq!([show("committed"), show("src/lib.rs"), show("new")], ["one", "// changed", "new"]);
    let log = git(env, &env.project(), &["log", "--format=%s", branch]);
    assert_eq!(log.lines().skip(1).collect::<Vec<_>>(), ["add a file", "first"]);
}

#[test]
fn discarded_work_is_named_and_comes_back() {
    let env = repository();
    agent_with_work(&env, "fix");
    fs::write(workspace(&env, "fix").join("target"), "ignored\n").unwrap();
    let tip = git(&env, &workspace(&env, "fix"), &["rev-parse", "--short", "HEAD"]);
    let refused = agent(&env, &["discard", "fix"]).fails(2).stderr.replace(&tip, "[TIP]");
    assert_snapshot!(env.redacted(&refused), @"
    error: discarding `fix` needs a confirmation, and there is no terminal to ask
      2 uncommitted files: src/lib.rs, new
      1 commit that no remote and no other branch has:
        [TIP] add a file
      ignored files are removed without a copy: target
      directory [ROOT]/home/.symposium/instances/fix/workspace
      branch `symposium/fix`
    hint: if you agree: `symposium agent discard --yes fix`
    ");
    let preview = agent(&env, &["discard", "fix", "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&preview["log"][0]["subject"], &preview["removes_branch"]),
        (&"add a file".into(), &true.into())
    );
    assert!(workspace(&env, "fix").join("new").exists(), "a refusal and a dry run change nothing");

    let discarded = agent(&env, &["discard", "fix", "--yes", "--json"]).ok().json();
    assert_eq!(discarded["discarded"], "fix");
    assert_gone(&env, "fix");
    assert_recovered(&env, "fix");
}

#[test]
fn a_terminal_is_asked_and_no_changes_nothing() {
    let env = repository();
    agent_with_work(&env, "fix");
    let terminal = env.terminal([env.binary(), "agent", "discard", "fix"]);
    terminal.wait_for_text("discard `fix`?");
    assert!(terminal.screen().contains("add a file"), "{}", terminal.screen());
    terminal.keys(&["n"]);
    terminal.wait_for_text("nothing was changed");
    assert!(workspace(&env, "fix").join("new").exists());
}

#[test]
fn commits_without_changes_are_kept_and_existing_branches_stay() {
    let env = repository();
    let project = env.project();
    spawned(&env, &["--name", "clean", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "clean");
    git(&env, &at, &["commit", "-q", "--allow-empty", "-m", "only a commit"]);
    let commit = git(&env, &at, &["rev-parse", "HEAD"]);
    spawned(&env, &["--name", "child", "--dir", at.to_str().unwrap(), "--", "sleep", "1000"]);
    for command in ["discard", "finish"] {
        let refused = agent(&env, &[command, "clean", "--yes"]).fails(1).stderr;
        assert!(refused.contains("agent `child` works in the directory of `clean`"), "{refused}");
        assert!(refused.contains("symposium agent kill child"), "{refused}");
    }
    agent(&env, &["kill", "child"]).ok();
    agent(&env, &["discard", "clean", "--yes"]).ok();
    assert_gone(&env, "clean");
    let back = agent(&env, &["recover", "clean", "--json"]).ok().json();
    let branch = back["branch"].as_str().unwrap();
    assert_eq!(git(&env, &project, &["rev-parse", &format!("{branch}^")]), commit);

    git(&env, &project, &["branch", "mine"]);
    spawned(&env, &["--name", "b", "--workspace", "worktree", "--branch", "mine", "--", "sleep", "1000"]);
    git(&env, &workspace(&env, "b"), &["commit", "-q", "--allow-empty", "-m", "on mine"]);
    let preview = agent(&env, &["discard", "b", "--dry-run"]).ok().stdout;
    assert!(preview.contains("branch `mine` existed before the agent and stays"), "{preview}");
    agent(&env, &["discard", "b", "--yes"]).ok();
    assert_eq!(git(&env, &project, &["log", "-1", "--format=%s", "mine"]), "on mine");

    spawned(&env, &["--name", "here", "--", "sleep", "1000"]);
    let refused = agent(&env, &["discard", "here", "--yes"]).fails(1).stderr;
    assert!(refused.contains("agent `here` works in place"), "{refused}");
}

#[test]
fn a_discard_that_is_killed_at_any_step_loses_nothing_and_can_be_repeated() {
    let env = repository();
    for step in ["kill.signalled", "rm.kept", "rm.killed", "rm.worktree"] {
        agent_with_work(&env, "fix");
        agent(&env, &["discard", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", step).fails(137);
        agent(&env, &["discard", "fix", "--yes"]).ok();
        assert_gone(&env, "fix");
        assert_recovered(&env, "fix");
        let recovered =
            git(&env, &env.project(), &["branch", "--list", "--format=%(refname:short)", "recovered/*"]);
        recovered.lines().for_each(|branch| {
            git(&env, &env.project(), &["branch", "-q", "-D", branch]);
        });
    }
}
