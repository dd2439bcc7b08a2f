//! Two environments at once: each has its own registry, ledger, tmux server and supervisor.

use std::fs;

use serde_json::Value;

use super::symposium;
use crate::support::TestEnv;

fn at(env: &TestEnv, home: &str, args: &[&str]) -> crate::support::run::Run {
    symposium(env, &[&["--home", home], args].concat())
}

fn names(env: &TestEnv, home: &str) -> Vec<String> {
    let listed = at(env, home, &["agent", "list", "--all", "--json"]).ok().json();
    listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

fn pid_of_supervisor(env: &TestEnv, home: &str) -> Option<i64> {
    let value: Value = at(env, home, &["supervisor", "status", "--json"]).ok().json();
    value["pid"].as_i64().filter(|_| value["running"] == true)
}

#[test]
fn two_environments_do_not_affect_each_other() {
    let env = TestEnv::new();
    for name in ["one", "two"] {
        symposium(&env, &["env", "create", name]).ok();
        let path = env.state().join("envs").join(name);
        fs::write(path.join("config.toml"), "[restart]\nfirst = \"20ms\"\n").unwrap();
        let home = format!("@{name}");
        let script = "echo $SYMPOSIUM_HOME; exec sleep 1000";
        at(
            &env,
            &home,
            &["agent", "spawn", "--name", "same", "--restart", "always", "--", "sh", "-c", script],
        )
        .ok();
        at(&env, &home, &["supervisor", "start"]).ok();
    }
    let supervisors =
        ["@one", "@two"].map(|home| pid_of_supervisor(&env, home).expect("the program is running"));
    assert_ne!(supervisors[0], supervisors[1]);
    let pid =
        |home| at(&env, home, &["agent", "show", "same", "--json"]).ok().json()["pid"].as_i64().unwrap();
    let (one, two) = (pid("@one"), pid("@two"));
    // A killed agent is restarted by the supervisor of its own environment.
    let victim = rustix::process::Pid::from_raw(i32::try_from(one).unwrap()).unwrap();
    rustix::process::kill_process(victim, rustix::process::Signal::KILL).unwrap();
    env.wait_until("the supervisor was restarted", || {
        let value = at(&env, "@one", &["agent", "show", "same", "--json"]).ok().json();
        value["pid"].as_i64().is_some_and(|now| now != one)
    });
    assert_eq!(pid("@two"), two);
    at(&env, "@two", &["agent", "kill", "--all"]).ok();
    assert_eq!(at(&env, "@one", &["agent", "show", "same", "--json"]).ok().json()["status"], "working");
    assert_eq!((names(&env, "@one").len(), names(&env, "@two").len()), (1, 1));
    assert!(symposium(&env, &["agent", "list", "--all", "--json"]).ok().stdout.starts_with("[]"));
    symposium(&env, &["env", "remove", "two"]).ok();
    assert!(!env.state().join("envs/two").exists());
    assert_eq!(pid_of_supervisor(&env, "@one"), Some(supervisors[0]));
    assert_eq!(at(&env, "@one", &["agent", "show", "same", "--json"]).ok().json()["status"], "working");
    symposium(&env, &["env", "remove", "one", "--force"]).ok();
    let left = || env.processes().iter().filter(|one| one.command.contains("sleep 1000")).count();
    env.wait_until("no process is left", || left() == 0);
    let servers = || env.processes().iter().filter(|one| one.command.contains("tmux")).count();
    env.wait_until("the servers have ended", || servers() == 0);
    assert_eq!(fs::read_dir(env.state().join("envs")).unwrap().count(), 0);
}

#[test]
fn two_homes_on_one_tmux_server_have_a_supervisor_each() {
    let env = TestEnv::new();
    let other = env.root().join("other");
    fs::create_dir(&other).unwrap();
    let there = |args: &[&str]| symposium(&env, args).env("HOME", &other);
    symposium(&env, &["agent", "spawn", "--name", "here", "--", "sleep", "1000"]).ok();
    there(&["agent", "spawn", "--name", "there", "--", "sleep", "1000"]).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    there(&["supervisor", "start"]).ok();
    let pids =
        [symposium(&env, &["supervisor", "status", "--json"]), there(&["supervisor", "status", "--json"])]
            .map(|run| run.ok().json()["pid"].as_i64().expect("the program is running"));
    assert_ne!(pids[0], pids[1]);
    there(&["supervisor", "stop"]).ok();
    assert_eq!(super::supervision(&env)["pid"], pids[0], "the other worktree is not changed");
    symposium(&env, &["supervisor", "stop"]).ok();
}
