//! `symposium taskspace`: worktree, agent and task as one.

use std::fs;

use serde_json::Value;

use super::workspace::{git, repository, workspace};
use super::{prompts, shown};
use crate::support::TestEnv;
use crate::support::run::Run;

fn taskspace(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(["taskspace"].iter().chain(args))
}

#[test]
fn a_taskspace_is_made_listed_and_deleted_as_one() {
    let env = repository();
    assert_eq!(taskspace(&env, &["list", "--json"]).ok().stdout, "[]\n");
    let made = taskspace(&env, &["new", "fix", "demo", "--task", "mend the login"]).ok();
    assert_eq!(made.stdout, "fix\n");
    let at = workspace(&env, "fix");
    let file: Value = serde_json::from_str(&fs::read_to_string(at.join("taskspace.json")).unwrap()).unwrap();
    assert_eq!((&file["name"], &file["description"]), (&"fix".into(), &"mend the login".into()));
    assert_eq!(file["id"], shown(&env, "fix")["id"]);
    assert_eq!(file["log"].as_array().unwrap().len(), 1);
    env.wait_until("the agent has its task", || prompts(&env, "fix") == ["mend the login"]);
    // git does not see the file, here or in the original.
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    let listed = taskspace(&env, &["list", "--json"]).ok().json();
    assert_eq!((&listed[0]["name"], &listed[0]["description"]), (&"fix".into(), &"mend the login".into()));
    assert!(listed[0]["needs_attention"].is_boolean() && listed[0]["agent"]["branch"] == "symposium/fix");
    let text = taskspace(&env, &["list"]).ok().stdout;
    assert!(text.contains("  task    mend the login\n  branch  symposium/fix\n"), "{text}");
    fs::write(at.join("result"), "x").unwrap();
    let said = taskspace(&env, &["delete", "fix"]).fails(1).stderr;
    assert!(said.contains("1 uncommitted file: result"), "{said}");
    assert!(shown(&env, "fix")["pid"].is_i64(), "it goes on");
    fs::remove_file(at.join("result")).unwrap();
    taskspace(&env, &["delete", "fix"]).ok();
    assert!(!at.exists() && !env.project().join(".git/worktrees").exists());
    taskspace(&env, &["delete", "fix"]).fails(3);
}

#[test]
fn what_is_no_taskspace_is_not_deleted() {
    let env = repository();
    env.symposium(["agent", "spawn", "demo", "--name", "a"]).ok();
    let said = taskspace(&env, &["delete", "a", "--force"]).fails(1).stderr;
    assert!(said.starts_with("error: agent `a` is no taskspace\n"), "{said}");
    assert!(shown(&env, "a")["pid"].is_i64());
    let outside = TestEnv::new();
    taskspace(&outside, &["new", "x", "demo", "--task", "t"]).fails(1);
    assert_eq!(taskspace(&outside, &["list", "--json"]).ok().stdout, "[]\n");
}
