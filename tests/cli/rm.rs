//! `agent rm` and `agent prune`: forgetting, without losing what nobody said may be lost.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn rm_forgets_what_ended_with_all_its_files() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    agent(&env, &["kill", "a"]).ok();
    assert_eq!(agent(&env, &["rm", "a"]).ok().stderr, "`a` is forgotten\n");
    assert!(!env.state().join("instances/a").exists());
    assert_eq!(env.registry()["sessions"], json!({}));
    agent(&env, &["rm", "a"]).fails(3);
}

#[test]
fn what_runs_is_not_removed_unless_forced() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "76543"]);
    assert_snapshot!(agent(&env, &["rm", "a"]).fails(1).stderr, @"
    error: agent `a` is still running
    hint: end it first with `symposium agent kill a`, or `symposium agent rm --force a`
    ");
    assert_eq!(status(&env, "a"), "working");
    assert_eq!(agent(&env, &["rm", "--force", "a", "--json"]).ok().json(), json!({"removed": "a"}));
    assert!(env.processes().iter().all(|one| one.command != "sleep 76543"));
    agent(&env, &["show", "a"]).fails(3);
}

#[test]
fn work_in_a_scratch_folder_is_not_lost_unless_forced() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--workspace", "scratch", "--", "sh", "-c", "echo x > result"]);
    wait_for(&env, "a", "exited");
    assert_snapshot!(env.redacted(&agent(&env, &["rm", "a"]).fails(1).stderr), @"
    error: the scratch folder of agent `a` holds 1 files or folders
      nothing was changed
    hint: look at `[ROOT]/home/.symposium/instances/a/workspace`, then `symposium agent rm --force a`
    ");
    let outcome = agent(&env, &["prune"]).ok();
    assert_eq!(
        outcome.stderr,
        "warning: `a` stays: the scratch folder of agent `a` holds 1 files or folders\nnothing to prune\n"
    );
    assert!(env.state().join("instances/a/workspace/result").exists());
    agent(&env, &["rm", "--force", "a"]).ok();
    assert!(!env.state().join("instances/a").exists());
}

#[test]
fn prune_forgets_what_ended_well_or_on_request_and_nothing_else() {
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
    assert_eq!(agent(&env, &["prune", "--dry-run"]).ok().stderr, "`exited` would go\n`stopped` would go\n");
    assert_eq!(status(&env, "stopped"), "stopped");
    let outcome = agent(&env, &["prune", "--json"]).ok();
    assert_eq!(outcome.json(), json!({"pruned": ["exited", "stopped"], "dry_run": false}));
    let left = agent(&env, &["list", "--all", "--json"]).ok().json();
    let left: Vec<&str> = left.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(left, ["crashed", "runs"]);
}
