//! `agent rm` and `agent prune`: removal of records and files without the loss of unsaved work.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::json;

use super::workspace::{git, repository, workspace};
use super::{agent, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn rm_deletes_the_record_and_files_of_an_ended_agent() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    agent(&env, &["kill", "a"]).ok();
    assert_eq!(agent(&env, &["rm", "a"]).ok().stderr, "`a` is removed\n");
    assert!(!env.state().join("instances/a").exists());
    assert_eq!(env.registry()["sessions"], json!({}));
    agent(&env, &["rm", "a"]).fails(3);
}

#[test]
fn rm_of_a_running_agent_needs_force() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "76543"]);
    assert_snapshot!(agent(&env, &["rm", "a"]).fails(1).stderr, @"
    error: agent `a` is still running
      nothing was changed
    hint: end it first: `symposium agent kill a`
    ");
    assert_eq!(status(&env, "a"), "working");
    assert_eq!(
        agent(&env, &["rm", "--force", "a", "--json"]).ok().json(),
        json!({"removed": "a", "summary": [], "recovered": null, "recover": []})
    );
    assert!(env.processes().iter().all(|one| one.command != "sleep 76543"));
    agent(&env, &["show", "a"]).fails(3);
}

#[test]
fn rm_of_a_scratch_folder_with_files_needs_force() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--workspace", "scratch", "--", "sh", "-c", "echo x > result"]);
    wait_for(&env, "a", "exited");
    assert_snapshot!(env.redacted(&agent(&env, &["rm", "a"]).fails(1).stderr), @"
    error: the scratch folder of agent `a` holds 1 file: result
      nothing was changed
    hint: look at `[ROOT]/home/.symposium/instances/a/workspace`; `symposium agent rm --force a` keeps a copy for 30 days
    ");
    let outcome = agent(&env, &["prune"]).ok();
    assert_eq!(
        outcome.stderr,
        "warning: `a` stays: the scratch folder of agent `a` holds 1 file: result\nnothing to prune\n"
    );
    assert!(env.state().join("instances/a/workspace/result").exists());
    let removed = agent(&env, &["rm", "--force", "a", "--json"]).ok().json();
    assert!(!env.state().join("instances/a").exists());
    assert_eq!(removed["summary"], json!(["1 file: result"]));
    let kept = Path::new(removed["recovered"]["folder"].as_str().unwrap()).join("result");
    assert_eq!(fs::read_to_string(kept).unwrap(), "x\n");
}

/// Starts an agent in a worktree with a changed, a new and an ignored file.
fn worktree_with_work() -> TestEnv {
    let env = repository();
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// two\n").unwrap();
    fs::write(at.join("out.txt"), "out\n").unwrap();
    fs::write(at.join("target"), "ignored\n").unwrap();
    env
}

#[test]
fn rm_of_a_running_agent_names_its_unsaved_work() {
    let env = worktree_with_work();
    assert_snapshot!(agent(&env, &["rm", "fix"]).fails(1).stderr, @"
    error: agent `fix` is still running
      its workspace contains unsaved work:
        2 uncommitted files: src/lib.rs, out.txt
      nothing was changed
    hint: end it first: `symposium agent kill fix`
    ");
    agent(&env, &["kill", "fix"]).ok();
    agent(&env, &["rm", "fix"]).fails(1);
    assert!(workspace(&env, "fix").join("out.txt").exists());
}

#[test]
fn rm_dry_run_lists_the_work_and_changes_nothing() {
    let env = worktree_with_work();
    let before = env.registry();
    let preview = agent(&env, &["rm", "--dry-run", "fix", "--json"]).ok().json();
    assert_eq!(
        preview,
        json!({
            "name": "fix", "running": true, "workspace": "worktree", "branch": "symposium/fix",
            "path": workspace(&env, "fix"),
            "files": [{"kind": "modified", "path": "src/lib.rs"}, {"kind": "untracked", "path": "out.txt"}],
            "commits": 0, "stashes": 0, "unknown": null, "needs_force": true, "ignored": ["target"], "shared_with": [],
            "summary": ["2 uncommitted files: src/lib.rs, out.txt"],
        })
    );
    assert_snapshot!(agent(&env, &["rm", "--dry-run", "--force", "fix"]).ok().stdout, @"
    `fix` is running
    `fix` contains unsaved work:
      2 uncommitted files: src/lib.rs, out.txt
    ignored files are removed without a copy: target
    ");
    assert_eq!(env.registry(), before);
    agent(&env, &["kill", "fix"]).ok();
    let pruned = agent(&env, &["prune", "--dry-run", "--json"]).ok().json();
    assert_eq!((&pruned["pruned"], &pruned["kept"][0]["name"]), (&json!([]), &json!("fix")));
    assert_eq!(pruned["kept"][0]["code"], "work-there");
}

#[test]
fn forced_removal_keeps_uncommitted_files_under_a_ref() {
    let env = worktree_with_work();
    let stderr = agent(&env, &["rm", "--force", "fix"]).ok().stderr;
    assert!(stderr.contains("warning: ignored files are removed without a copy: target\n"), "{stderr}");
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines[..2], ["`fix` is removed", "  2 uncommitted files: src/lib.rs, out.txt"], "{stderr}");
    assert_eq!(lines[2], "a copy is kept for 30 days; bring it back with:", "{stderr}");
    assert!(!workspace(&env, "fix").exists());
    let words: Vec<&str> = lines[3].split_whitespace().collect();
    let (branch, reference) = (words[4], words[5]);
    assert!(reference.starts_with("refs/symposium/recovered/fix-"), "{stderr}");
    env.program(words[0], &words[1..]).ok();
    let project = env.project();
    assert_eq!(git(&env, &project, &["show", &format!("{branch}:out.txt")]), "out");
    assert_eq!(git(&env, &project, &["show", &format!("{branch}:src/lib.rs")]), "// two");
    assert_eq!(
        git(&env, &project, &["ls-tree", "-r", "--name-only", branch]),
        ".gitignore\nout.txt\nsrc/lib.rs"
    );
}

#[test]
fn commits_of_the_reflog_are_kept_when_a_clean_worktree_is_removed() {
    let env = repository();
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "fix");
    git(&env, &at, &["commit", "-q", "--allow-empty", "-m", "dropped"]);
    let dropped = git(&env, &at, &["rev-parse", "HEAD"]);
    git(&env, &at, &["reset", "-q", "--hard", "HEAD~1"]);
    agent(&env, &["kill", "fix"]).ok();
    let removed = agent(&env, &["rm", "fix", "--json"]).ok().json();
    let reference = removed["recovered"]["refs"][0]["reference"].as_str().expect("a copy");
    assert_eq!(git(&env, &env.project(), &["rev-parse", &format!("{reference}^2")]), dropped);
}

#[test]
fn copies_are_deleted_after_thirty_days() {
    let env = worktree_with_work();
    let removed = agent(&env, &["rm", "--force", "fix", "--json"]).ok().json();
    let name = removed["recovered"]["name"].as_str().unwrap();
    let entry = env.state().join("recovered").join(name).join("entry.json");
    let refs = ["for-each-ref", "--format=%(refname)", "refs/symposium/"];
    assert_eq!(git(&env, &env.project(), &refs), format!("refs/symposium/recovered/{name}"));
    let past = "2020-01-01T00:00:00Z";
    let mut work: serde_json::Value = serde_json::from_slice(&fs::read(&entry).unwrap()).unwrap();
    work["at"] = json!(past);
    fs::write(&entry, work.to_string()).unwrap();
    let tree = git(&env, &env.project(), &["rev-parse", "HEAD^{tree}"]);
    let commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "old", &tree];
    let old = env.program("git", commit).env("GIT_COMMITTER_DATE", past).ok().stdout;
    git(&env, &env.project(), &["update-ref", &format!("refs/symposium/recovered/{name}"), old.trim()]);
    spawned(&env, &["--name", "other", "--", "true"]);
    wait_for(&env, "other", "exited");
    agent(&env, &["rm", "other"]).ok();
    assert!(!entry.exists());
    assert_eq!(git(&env, &env.project(), &refs), "");
}

#[test]
fn forced_removal_asks_at_a_terminal() {
    let env = worktree_with_work();
    let terminal = env.terminal([env.binary(), "agent", "rm", "--force", "fix"]);
    terminal.wait_for_text("remove it with this work? [y/N]");
    assert!(terminal.screen().contains("2 uncommitted files: src/lib.rs, out.txt"), "{}", terminal.screen());
    terminal.keys(&["n"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert_eq!(status(&env, "fix"), "working");
    let terminal = env.terminal([env.binary(), "agent", "rm", "--force", "fix"]);
    terminal.wait_for_text("[y/N]");
    terminal.keys(&["y"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    agent(&env, &["show", "fix"]).fails(3);
}

#[test]
fn prune_removes_exited_and_stopped_agents_only() {
    let env = TestEnv::new();
    for name in ["runs", "stopped"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    agent(&env, &["kill", "stopped"]).ok();
    spawned(&env, &["--name", "exited", "--", "true"]);
    agent(&env, &["spawn", "--name", "crashed", "--", "false"]).outcome();
    wait_for(&env, "exited", "exited");
    wait_for(&env, "crashed", "crashed");
    assert_eq!(agent(&env, &["prune", "--older-than", "1h"]).ok().stderr, "nothing to prune\n");
    assert_eq!(
        agent(&env, &["prune", "--dry-run"]).ok().stderr,
        "`exited` would be removed\n`stopped` would be removed\n"
    );
    assert_eq!(status(&env, "stopped"), "stopped");
    let outcome = agent(&env, &["prune", "--json"]).ok();
    assert_eq!(outcome.json(), json!({"pruned": ["exited", "stopped"], "kept": [], "dry_run": false}));
    let left = agent(&env, &["list", "--all", "--json"]).ok().json();
    let left: Vec<&str> = left.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(left, ["crashed", "runs"]);
}
