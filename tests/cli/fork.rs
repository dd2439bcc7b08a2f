//! `agent fork`: a copy of an agent with its conversation, in a worktree from the same commit. The original stays as it is.

use std::fs;

use insta::assert_snapshot;

use super::workspace::{git, repository, workspace};
use super::{agent, prompts, shown, spawned, wait_for};
use crate::support::TestEnv;

/// Starts a demo agent in a worktree that remembers something, with a commit and an uncommitted file.
fn agent_with_work() -> TestEnv {
    let env = repository();
    spawned(&env, &["demo", "--name", "a", "--workspace", "worktree", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    let at = workspace(&env, "a");
    fs::write(at.join("committed"), "one\n").unwrap();
    git(&env, &at, &["add", "committed"]);
    git(&env, &at, &["commit", "-q", "-m", "add a file"]);
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    fs::write(at.join("new"), "new\n").unwrap();
    // A change that the index hides is one, too.
    git(&env, &at, &["update-index", "--assume-unchanged", "src/lib.rs"]);
    env
}

#[test]
fn a_fork_has_the_conversation_and_the_commit_of_the_original() {
    let env = agent_with_work();
    let before = (env.registry()["sessions"]["a"].clone(), prompts(&env, "a"));
    let outcome = agent(&env, &["fork", "a"]).ok();
    assert_eq!(outcome.stdout, "a-fork\n");
    assert_snapshot!(outcome.stderr, @"
    creating a worktree on branch `symposium/a-fork`
    `a-fork` continues with a copy of the conversation of `a`
    warning: not in the new worktree: 2 uncommitted files: src/lib.rs, new (`--with-changes` copies them)
    ");
    let at = workspace(&env, "a-fork");
    assert!(at.join("committed").exists() && !at.join("new").exists());
    assert_eq!(git(&env, &at, &["branch", "--show-current"]), "symposium/a-fork");
    wait_for(&env, "a-fork", "idle");
    agent(&env, &["send", "a-fork", "recall"]).ok();
    wait_for(&env, "a-fork", "idle");
    let fork = shown(&env, "a-fork");
    assert!(fork["reason"].as_str().unwrap().contains("the milk"), "{fork}");
    assert_ne!(fork["conversation"]["id"], shown(&env, "a")["conversation"]["id"]);
    // The diff of the fork has the base of the original, not the branch of the original, and no later commits of it.
    fs::write(env.project().join("later"), "later\n").unwrap();
    git(&env, &env.project(), &["add", "later"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "later"]);
    let diff = agent(&env, &["diff", "a-fork", "--json"]).ok().json();
    assert_eq!((&diff["base"]["name"], &diff["base"]["source"]), (&"main".into(), &"spawn".into()));
    assert_eq!(diff["commits"][0]["subject"], "add a file");
    assert_eq!(
        (diff["files"].as_array().unwrap().len(), &diff["files"][0]["path"]),
        (1, &"committed".into())
    );
    // The original is not touched.
    assert_eq!((env.registry()["sessions"]["a"].clone(), prompts(&env, "a")), before);
    assert_eq!(fs::read_to_string(workspace(&env, "a").join("new")).unwrap(), "new\n");
}

#[test]
fn uncommitted_changes_come_along_if_requested() {
    let env = agent_with_work();
    agent(&env, &["diff", "a", "--base", "HEAD~1", "--stat"]).ok();
    let forked = agent(&env, &["fork", "a", "--name", "b", "--with-changes", "--json"]).ok().json();
    assert_eq!((&forked["agent"]["name"], &forked["original"]), (&"b".into(), &"a".into()));
    assert_eq!(forked["conversation"], "copy");
    let at = workspace(&env, "b");
    assert_eq!(fs::read_to_string(at.join("new")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(at.join("src/lib.rs")).unwrap(), "// changed\n");
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), " M src/lib.rs\n?? new");
    let diff = agent(&env, &["diff", "b", "--json"]).ok().json();
    assert_eq!((&diff["base"]["name"], &diff["base"]["source"]), (&"HEAD~1".into(), &"chosen".into()));
    let taken = agent(&env, &["fork", "a", "--name", "b"]).fails(1).stderr;
    assert!(taken.contains("an agent named `b` already exists"), "{taken}");
}

#[test]
fn a_fork_that_ends_before_its_first_prompt_is_copied_again() {
    let env = agent_with_work();
    agent(&env, &["fork", "a"]).ok();
    wait_for(&env, "a-fork", "idle");
    agent(&env, &["kill", "a-fork"]).ok();
    let resumed = agent(&env, &["resume", "a-fork"]).ok().stderr;
    assert_snapshot!(env.redacted(&resumed), @"`a-fork` starts again with a copy of conversation [UUID]");
    wait_for(&env, "a-fork", "idle");
    agent(&env, &["send", "a-fork", "recall"]).ok();
    wait_for(&env, "a-fork", "idle");
    let reason = shown(&env, "a-fork")["reason"].clone();
    assert!(reason.as_str().unwrap().contains("the milk"), "{reason}");
}

#[test]
fn a_kind_that_cannot_copy_a_conversation_starts_with_the_recap() {
    let env = agent_with_work();
    fs::write(env.state().join("kinds.toml"), "[demo.conversation]\nfork = []\n").unwrap();
    let outcome = agent(&env, &["fork", "a", "--with-changes"]).ok();
    assert_eq!(
        outcome.stderr,
        "creating a worktree on branch `symposium/a-fork`\nDemo agent cannot copy a conversation: `a-fork` starts with a recap of `a` as its first prompt\n"
    );
    wait_for(&env, "a-fork", "idle");
    let first = prompts(&env, "a-fork").remove(0);
    assert!(
        first.contains("continue the work of agent `a`") && first.contains("remember the milk"),
        "{first}"
    );
}
