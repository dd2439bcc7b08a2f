//! `symposium env`: named environments are created, listed and removed.

use std::fs;

use insta::assert_snapshot;

use super::workspace::{git, repository};
use crate::support::TestEnv;

fn run(env: &TestEnv, args: &[&str]) -> crate::support::run::Run {
    env.symposium(args)
}

#[test]
fn environments_are_created_listed_and_removed() {
    let env = TestEnv::new();
    assert_eq!(
        env.redacted(&run(&env, &["env", "create", "play"]).ok().stdout),
        "[ROOT]/home/.symposium/envs/play\n"
    );
    run(&env, &["--home", "@play", "agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    assert_snapshot!(env.redacted(&run(&env, &["env", "list"]).ok().stdout), @"
    * default           0 agents, 0 running, supervisor off  [ROOT]/home/.symposium
      @play             1 agent, 1 running, supervisor off  [ROOT]/home/.symposium/envs/play
    ");
    let listed = run(&env, &["env", "list", "--json"]).env("SYMPOSIUM_HOME", "@play").ok().json();
    assert_eq!((&listed[0]["name"], &listed[1]["name"]), (&serde_json::Value::Null, &"play".into()));
    assert_eq!((&listed[0]["current"], &listed[1]["current"]), (&false.into(), &true.into()));
    assert_snapshot!(run(&env, &["env", "remove", "play"]).fails(1).stderr, @"
    error: agents are running in environment `play`: a
      nothing was changed
    hint: end them first: `symposium --home @play agent kill a`, or `--all`
    ");
    run(&env, &["--home", "@play", "agent", "kill", "a"]).ok();
    run(&env, &["env", "remove", "play"]).ok();
    assert!(!env.state().join("envs/play").exists());
    assert_snapshot!(run(&env, &["--home", "@play", "agent", "list"]).fails(3).stderr, @"
    error: no environment named `play`
      there are no named environments yet
    hint: create it with `symposium env create play`
    ");
    assert!(!env.state().join("envs/play").exists(), "a command does not recreate it");
}

#[test]
fn invalid_environment_names_and_links_are_refused() {
    let env = TestEnv::new();
    run(&env, &["env", "create", "play"]).ok();
    run(&env, &["env", "create", "play"]).fails(1);
    run(&env, &["env", "create", "../play"]).fails(2);
    run(&env, &["env", "remove", "plaz"]).fails(3);
    run(&env, &["--home", "@../x", "agent", "list"]).fails(2);
    assert!(!env.project().join("@..").exists());
    std::os::unix::fs::symlink(env.project(), env.state().join("envs/link")).unwrap();
    run(&env, &["env", "remove", "link", "--force"]).fails(3);
    assert!(env.project().exists());
    let stderr = run(&env, &["--home", "@plaz", "agent", "list"]).fails(3).stderr;
    assert!(stderr.contains("did you mean `--home @play`?"), "{stderr}");
}

#[test]
fn an_environment_with_unsaved_work_is_removed_only_by_force() {
    let env = repository();
    run(&env, &["env", "create", "play"]).ok();
    let spawn = [
        "--home",
        "@play",
        "agent",
        "spawn",
        "--name",
        "a",
        "--workspace",
        "worktree",
        "--",
        "sleep",
        "1000",
    ];
    run(&env, &spawn).ok();
    run(&env, &["--home", "@play", "agent", "kill", "a"]).ok();
    let at = env.state().join("envs/play/instances/a/workspace");
    fs::write(at.join("new"), "?").unwrap();
    let stderr = run(&env, &["env", "remove", "play"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: new"), "{stderr}");
    assert!(at.join("new").exists());
    run(&env, &["env", "remove", "play", "--force"]).ok();
    assert!(!env.state().join("envs/play").exists() && !env.project().join(".git/worktrees").exists());
    assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "");
}

#[test]
fn two_homes_on_one_tmux_server_do_not_see_each_other() {
    let env = TestEnv::new();
    let other = env.root().join("other");
    fs::create_dir(&other).unwrap();
    run(&env, &["agent", "spawn", "--name", "mine", "--", "sleep", "1000"]).ok();
    let run_there = |args: &[&str]| run(&env, args).env("HOME", &other);
    assert_eq!(run_there(&["agent", "list", "--json"]).ok().json(), serde_json::json!([]));
    run_there(&["agent", "kill", "mine"]).fails(3);
    run_there(&["agent", "spawn", "--name", "theirs", "--", "sleep", "1000"]).ok();
    let stderr = run_there(&["agent", "spawn", "--name", "mine", "--", "sleep", "1000"]).fails(1).stderr;
    assert!(
        stderr.contains("a tmux session named `mine` exists and does not belong to this agent"),
        "{stderr}"
    );

    let names = |listed: serde_json::Value| -> Vec<String> {
        listed.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(run_there(&["agent", "list", "--json"]).ok().json()), ["theirs"]);
    assert_eq!(names(run(&env, &["agent", "list", "--json"]).ok().json()), ["mine"]);
    run(&env, &["agent", "rename", "mine", "still-mine"]).ok();
    assert_eq!(names(run_there(&["agent", "list", "--json"]).ok().json()), ["theirs"]);
    // A lost registry is rebuilt from tmux, for each home separately.
    fs::remove_file(env.state().join("agent-sessions.json")).unwrap();
    let _ = fs::remove_file(env.state().join("agent-sessions.json.bak"));
    assert_eq!(names(run(&env, &["agent", "list", "--json"]).ok().json()), ["still-mine"]);
    run_there(&["agent", "kill", "theirs"]).ok();
}
