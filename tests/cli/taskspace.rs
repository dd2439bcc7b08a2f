//! `symposium taskspace`: a worktree, an agent and its task as a unit.

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
fn a_taskspace_is_created_listed_and_deleted_as_a_unit() {
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
    // git ignores the file, here and in the original.
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    let listed = taskspace(&env, &["list", "--json"]).ok().json();
    assert_eq!((&listed[0]["name"], &listed[0]["description"]), (&"fix".into(), &"mend the login".into()));
    assert!(listed[0]["needs_attention"].is_boolean() && listed[0]["agent"]["branch"] == "symposium/fix");
    let text = taskspace(&env, &["list"]).ok().stdout;
    assert!(text.contains("  task    mend the login\n  branch  symposium/fix\n"), "{text}");
    fs::write(at.join("result"), "x").unwrap();
    let stderr = taskspace(&env, &["delete", "fix"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: result"), "{stderr}");
    assert!(shown(&env, "fix")["pid"].is_i64(), "the agent keeps running");
    fs::remove_file(at.join("result")).unwrap();
    taskspace(&env, &["delete", "fix"]).ok();
    assert!(!at.exists() && !env.project().join(".git/worktrees").exists());
    taskspace(&env, &["delete", "fix"]).fails(3);
}

#[test]
fn taskspace_delete_refuses_other_agents() {
    let env = repository();
    env.symposium(["agent", "spawn", "demo", "--name", "a"]).ok();
    let stderr = taskspace(&env, &["delete", "a", "--force"]).fails(1).stderr;
    assert!(stderr.starts_with("error: agent `a` is not a taskspace\n"), "{stderr}");
    assert!(shown(&env, "a")["pid"].is_i64());
    let outside = TestEnv::new();
    taskspace(&outside, &["new", "x", "demo", "--task", "t"]).fails(1);
    assert_eq!(taskspace(&outside, &["list", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn the_log_takes_notes_and_keeps_existing_fields() {
    let env = repository();
    taskspace(&env, &["new", "fix", "demo", "--task", "mend the login"]).ok();
    let file = workspace(&env, "fix").join("taskspace.json");
    let mut known: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    known["color"] = "blue".into();
    known["log"][0]["by"] = "somebody".into();
    fs::write(&file, known.to_string()).unwrap();
    let noted = taskspace(&env, &["log", "fix", "the tests pass", "--json"]).ok().json();
    assert_eq!(noted["text"], "the tests pass");
    taskspace(&env, &["log", "fix", "-"]).stdin("two\n\u{1b}[2Jlines\n").ok();
    let now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&now["color"], &now["log"][0]["by"]), (&"blue".into(), &"somebody".into()));
    let log = taskspace(&env, &["log", "fix", "--json"]).ok().json();
    assert_eq!(log.as_array().map(Vec::len), Some(3));
    assert_eq!((&log[1]["text"], &log[2]["text"]), (&"the tests pass".into(), &"two\n\u{1b}[2Jlines".into()));
    let shown = taskspace(&env, &["log", "fix"]).ok().stdout;
    assert!(shown.contains("  the tests pass\n"), "{shown}");
    assert!(shown.ends_with("  two\n                           [2Jlines\n"), "{shown}");
    assert_eq!(taskspace(&env, &["list", "--json"]).ok().json()[0]["log"], log);
    assert_eq!(git(&env, &workspace(&env, "fix"), &["status", "--porcelain"]), "");

    let runs: Vec<_> =
        (0..6).map(|n| taskspace(&env, &["log", "fix", &format!("note {n}")]).start()).collect();
    runs.into_iter().for_each(|run| drop(run.finish().ok()));
    let log = taskspace(&env, &["log", "fix", "--json"]).ok().json();
    assert_eq!(log.as_array().map(Vec::len), Some(9), "none is lost: {log}");
}

#[test]
fn a_taskspace_spec_takes_parameters() {
    let env = repository();
    let text = "[agents.web]\nkind = 'demo'\nenv.A = 'b'\n[agents.web.params.region]\n";
    super::in_project(&env, "specs.toml", text);
    super::trusted_specs(&env, text);
    let new = ["new", "fix", "web", "--task", "look at {{region}}"];
    taskspace(&env, &new).fails(2);
    assert!(!workspace(&env, "fix").exists());
    taskspace(&env, &[&new[..], &["--param", "region=asia"]].concat()).ok();
    env.wait_until("the agent has its task", || prompts(&env, "fix") == ["look at asia"]);
    let other = ["new", "other", "web", "--config", "specs.toml", "--param", "region=x", "--task", "t"];
    taskspace(&env, &other).ok();
}
