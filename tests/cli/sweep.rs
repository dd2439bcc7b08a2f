//! `agent sweep`: removes merged, empty and deleted worktrees and branches, and never work that exists nowhere else.

use std::fs;

use serde_json::{Value, json};

use super::workspace::{git, repository, workspace};
use super::{agent, shown};
use crate::support::TestEnv;

/// Starts an agent in a worktree, lets `work` change it, and ends the agent.
#[track_caller]
fn ended(env: &TestEnv, name: &str, work: impl FnOnce(&std::path::Path)) {
    let spawn = ["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"];
    agent(env, &spawn).ok();
    work(&workspace(env, name));
    agent(env, &["kill", name]).ok();
}

fn commit(env: &TestEnv, at: &std::path::Path, file: &str) {
    fs::write(at.join(file), format!("{file}\n")).unwrap();
    git(env, at, &["add", "-A"]);
    git(env, at, &["commit", "-q", "-m", file]);
}

#[track_caller]
fn sweep(env: &TestEnv, flag: &str) -> Value {
    agent(env, &["sweep", flag, "--json"]).ok().json()
}

/// Returns the agent or branch and the reason of each entry.
fn entries(list: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<(String, String)> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| {
            let name = if entry["agent"].is_null() { &entry["branch"] } else { &entry["agent"] };
            (text(name), text(&entry["reason"]))
        })
        .collect();
    found.sort();
    found
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, reason)| ((*name).to_owned(), (*reason).to_owned())).collect()
}

#[test]
fn only_merged_empty_and_deleted_work_is_removed() {
    let env = repository();
    let project = env.project();
    let mut dropped = String::new();
    ended(&env, "empty", |at| {
        commit(&env, at, "dropped");
        dropped = git(&env, at, &["rev-parse", "HEAD"]);
        git(&env, at, &["reset", "-q", "--hard", "HEAD~1"]);
        fs::write(at.join("target"), "ignored\n").unwrap();
    });
    ended(&env, "merged", |at| commit(&env, at, "m"));
    git(&env, &project, &["merge", "-q", "symposium/merged"]);
    ended(&env, "squashed", |at| {
        commit(&env, at, "s1");
        commit(&env, at, "s2");
    });
    commit(&env, &project, "meanwhile");
    git(&env, &project, &["merge", "-q", "--squash", "symposium/squashed"]);
    git(&env, &project, &["commit", "-q", "-m", "squashed"]);
    ended(&env, "partly", |at| {
        commit(&env, at, "p1");
        commit(&env, at, "p2");
    });
    commit(&env, &project, "moved");
    git(&env, &project, &["cherry-pick", "symposium/partly~1"]);
    ended(&env, "dirty", |at| fs::write(at.join("new"), "x\n").unwrap());
    ended(&env, "stashed", |at| {
        fs::write(at.join("src/lib.rs"), "// stashed\n").unwrap();
        git(&env, at, &["stash", "-q"]);
    });
    ended(&env, "detached", |at| {
        git(&env, at, &["checkout", "-q", "--detach"]);
        commit(&env, at, "on-no-branch");
    });
    ended(&env, "shared", |at| {
        let at = at.to_str().unwrap();
        agent(&env, &["spawn", "--name", "child", "--dir", at, "--", "sleep", "1000"]).ok();
    });
    ended(&env, "deleted", |at| fs::remove_dir_all(at).unwrap());
    agent(&env, &["spawn", "--name", "alive", "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    git(&env, &project, &["branch", "symposium/old", "HEAD~1"]);
    git(&env, &project, &["branch", "symposium/unmerged", "symposium/partly"]);
    git(&env, &project, &["branch", "mine", "HEAD~1"]);

    let removed = pairs(&[
        ("deleted", "gone"),
        ("empty", "empty"),
        ("merged", "merged"),
        ("squashed", "merged"),
        ("symposium/old", "merged"),
    ]);
    let kept = pairs(&[
        ("alive", "its agent is working"),
        ("detached", "1 commit is not merged"),
        ("dirty", "1 uncommitted file"),
        ("partly", "2 commits are not merged"),
        ("shared", "agent `child` works in it"),
        ("stashed", "1 stash"),
        ("symposium/unmerged", "2 commits are not merged"),
    ]);
    let planned = sweep(&env, "--dry-run");
    assert_eq!((entries(&planned["removed"]), entries(&planned["kept"])), (removed.clone(), kept.clone()));
    let shown_text = agent(&env, &["sweep", "--dry-run"]).ok();
    let squashed = shown_text.stdout.lines().find(|line| line.starts_with("worktree of `squashed` "));
    let words: Vec<&str> = squashed.expect("a line").split_whitespace().skip(3).take(1).collect();
    assert_eq!(words, ["merged"], "{}", shown_text.stdout);
    let empty = planned["removed"].as_array().unwrap().iter().find(|entry| entry["agent"] == "empty");
    assert_eq!(empty.expect("an entry")["ignored"], json!(["target"]));
    let ignored = "ignored files of `empty` are removed without a copy: target\n";
    assert!(shown_text.stderr.contains(ignored), "{}", shown_text.stderr);
    let state = || (env.registry(), git(&env, &project, &["for-each-ref"]));
    let before = state();
    let refused = agent(&env, &["sweep"]).fails(2);
    assert!(refused.stderr.contains("cannot ask here"), "{}", refused.stderr);
    agent(&env, &["sweep", "--force"]).fails(2);
    assert_eq!(state(), before, "nothing was changed");
    assert!(workspace(&env, "merged").join("m").exists());

    let done = sweep(&env, "--yes");
    assert_eq!((entries(&done["removed"]), entries(&done["kept"])), (removed, kept.clone()));
    let mut agents: Vec<String> = env.registry()["sessions"].as_object().unwrap().keys().cloned().collect();
    agents.sort();
    assert_eq!(agents, ["alive", "child", "detached", "dirty", "partly", "shared", "stashed"]);
    // A commit that only the reflog had is kept.
    let copy = done["removed"].as_array().unwrap().iter().find(|entry| entry["agent"] == "empty").unwrap();
    let reference = copy["recovered"]["refs"][0]["reference"].as_str().expect("a copy");
    assert_eq!(git(&env, &project, &["rev-parse", &format!("{reference}^2")]), dropped);
    assert_eq!(
        git(&env, &project, &["branch", "--format=%(refname:short)"]),
        "main\nmine\nsymposium/alive\nsymposium/detached\nsymposium/dirty\nsymposium/partly\nsymposium/shared\nsymposium/stashed\nsymposium/unmerged"
    );
    assert!(workspace(&env, "dirty").join("new").exists());
    let again = sweep(&env, "--yes");
    assert_eq!((entries(&again["removed"]), entries(&again["kept"])), (vec![], kept));
    assert_eq!(shown(&env, "alive")["status"], "working");
}

#[test]
fn the_record_of_a_finished_agent_stays() {
    let env = repository();
    git(&env, &env.project(), &["config", "user.name", "me"]);
    git(&env, &env.project(), &["config", "user.email", "me@example.org"]);
    ended(&env, "fix", |at| commit(&env, at, "f"));
    agent(&env, &["finish", "fix", "--yes"]).ok();
    let swept = sweep(&env, "--yes");
    assert_eq!(entries(&swept["kept"]), pairs(&[("fix", "it is finished; `agent rm` removes its record")]));
    assert_eq!(swept["removed"], json!([]));
    agent(&env, &["recap", "fix"]).ok();
}

#[test]
fn a_base_that_moved_back_keeps_the_commit() {
    let env = repository();
    commit(&env, &env.project(), "unpushed");
    ended(&env, "fix", |_| {});
    git(&env, &env.project(), &["reset", "-q", "--hard", "HEAD~1"]);
    // The branch of the agent is the only one that has the commit.
    let planned = sweep(&env, "--yes");
    assert_eq!(entries(&planned["kept"]), pairs(&[("fix", "1 commit is not merged")]));
    assert_eq!(planned["removed"], json!([]));
}

#[test]
fn a_sweep_killed_at_any_step_is_completed_by_the_next() {
    let env = repository();
    for step in ["sweep.worktree", "sweep.branch", "rm.killed", "rm.files"] {
        ended(&env, "fix", |at| commit(&env, at, step));
        git(&env, &env.project(), &["merge", "-q", "--squash", "symposium/fix"]);
        git(&env, &env.project(), &["commit", "-q", "-m", step]);
        let outcome = env.symposium(["agent", "sweep", "--yes"]).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(outcome.code, 137, "{step}");
        agent(&env, &["sweep", "--yes"]).ok();
        assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "", "{step}");
        assert_eq!(env.registry()["sessions"], json!({}), "{step}");
    }
}
