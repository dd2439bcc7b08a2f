//! `agent compare`: the work of several agents side by side.

use std::fs;

use insta::assert_snapshot;

use super::workspace::{git, repository, workspace};
use super::{agent, wait_for};
use crate::support::TestEnv;

/// Starts two demo agents on one task; the first commits a file, the second changes a file that `main` changes too.
fn two_agents() -> TestEnv {
    let env = repository();
    agent(&env, &["spawn", "demo", "--name", "fix", "--count", "2", "--task", "say hello"]).ok();
    for name in ["fix-1", "fix-2"] {
        wait_for(&env, name, "idle");
    }
    let first = workspace(&env, "fix-1");
    fs::write(first.join("committed"), "one\ntwo\n").unwrap();
    git(&env, &first, &["add", "committed"]);
    git(&env, &first, &["commit", "-q", "-m", "add a file"]);
    fs::write(workspace(&env, "fix-2").join("src/lib.rs"), "// of the agent\n").unwrap();
    fs::write(env.project().join("src/lib.rs"), "// of main\n").unwrap();
    git(&env, &env.project(), &["commit", "-q", "-a", "-m", "change it"]);
    env
}

#[test]
fn changes_conflicts_and_last_words_stand_side_by_side() {
    let env = two_agents();
    let outcome = agent(&env, &["compare", "fix-1", "fix-2"]).ok();
    assert_snapshot!(outcome.stdout, @"
    NAME   KIND  STATUS  COMMITS  FILES  LINES  MERGE     CHECKS
    fix-1  demo  idle    1        1      +2 -0  clean     -
    fix-2  demo  idle    0        1      +1 -1  conflict  -

    fix-1: (prompt 1 of this conversation)
    fix-2: (prompt 1 of this conversation)
    ");
    assert_eq!(outcome.stderr, "fix-2: conflicts in src/lib.rs\n");
    let json = agent(&env, &["compare", "fix-2", "--json"]).ok().json();
    assert_eq!((&json[0]["name"], &json[1]["name"]), (&"fix-1".into(), &"fix-2".into()), "the whole group");
    assert_eq!(json[0]["work"]["commits"], 1);
    assert_eq!(json[0]["work"]["insertions"], 2);
    assert_eq!(json[0]["merge"]["state"], "clean");
    assert_eq!(json[1]["merge"], serde_json::json!({"state": "conflicts", "paths": ["src/lib.rs"]}));
    assert!(json[0]["checks"].is_null());
    fs::write(env.state().join("config.toml"), "[finish]\nchecks = [\"test -e committed\"]\n").unwrap();
    let checked = agent(&env, &["compare", "fix-1", "fix-2", "--checks"]).ok();
    assert!(checked.stderr.contains("fix-2: `test -e committed` failed"), "{}", checked.stderr);
}
