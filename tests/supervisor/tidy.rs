//! Cleanup: deleted projects, hung agents, stale locks and leftovers of killed commands.

use super::{configure, shown, symposium};
use crate::support::TestEnv;

/// Makes the supervisor check everything now.
fn look(env: &TestEnv) {
    let pid = super::supervision(env)["pid"].as_i64().expect("it runs");
    env.program("kill", ["-USR1", &pid.to_string()]).ok();
}

#[test]
fn an_agent_of_a_deleted_project_is_marked_and_pruned_on_request() {
    let env = TestEnv::new();
    let told = env.home().join("told");
    let command = format!("[notify]\ncommand = [\"sh\", \"-c\", \"cat >>{}\"]\n", told.display());
    configure(&env, &(command + "[cleanup]\ndeleted_projects = \"prune\"\nafter = \"0s\"\n"));
    let dir = env.root().join("gone");
    std::fs::create_dir(&dir).unwrap();
    let args = ["agent", "spawn", "--name", "a", "--dir", dir.to_str().unwrap(), "--", "sleep", "1000"];
    env.symposium(args).ok();
    std::fs::remove_dir(&dir).unwrap();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("it is marked", || shown(&env, "a")["directory_gone"].is_string());
    assert_eq!(shown(&env, "a")["status"], "working", "one that runs is left alone");
    env.wait_until("it is told of", || {
        std::fs::read_to_string(&told).is_ok_and(|text| text.contains("the directory of a is gone"))
    });
    assert!(symposium(&env, &["agent", "list"]).ok().stdout.contains("gone (gone)"));
    symposium(&env, &["agent", "stop", "a"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("it is forgotten", || symposium(&env, &["agent", "show", "a"]).outcome().code == 3);
}

#[test]
fn an_agent_being_removed_is_not_reported_as_without_project() {
    let env = TestEnv::new();
    configure(&env, "");
    let dir = |name: &str| env.root().join(format!("dir-of-{name}"));
    for name in ["a", "b"] {
        std::fs::create_dir(dir(name)).unwrap();
        let dir = dir(name).display().to_string();
        env.symposium(["agent", "spawn", "--name", name, "--dir", &dir, "--", "sleep", "1000"]).ok();
    }
    symposium(&env, &["supervisor", "start"]).ok();
    // The lock is held as `agent rm` does, which removes the worktree before the record.
    let lock = std::fs::File::open(env.state().join("run/a.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for name in ["a", "b"] {
        std::fs::remove_dir(dir(name)).unwrap();
    }
    look(&env);
    env.wait_until("it has looked", || shown(&env, "b")["directory_gone"].is_string());
    assert!(shown(&env, "a")["directory_gone"].is_null());
    drop(lock);
    look(&env);
    env.wait_until("it is marked", || shown(&env, "a")["directory_gone"].is_string());
}

#[test]
fn a_hung_agent_is_reported_and_not_restarted_by_default() {
    let env = TestEnv::new();
    configure(&env, "");
    std::fs::write(env.state().join("kinds.toml"), "[demo]\nhang_after_s = 1\n").unwrap();
    symposium(&env, &["agent", "spawn", "demo", "--name", "a", "--restart", "always", "--task", "/hang"])
        .ok();
    symposium(&env, &["agent", "wait", "a", "--for", "working", "--timeout", "20s"]).ok();
    env.wait_until("it is told of", || {
        look(&env);
        shown(&env, "a")["reason"].as_str().is_some_and(|reason| reason.starts_with("no sign of life"))
    });
    assert_eq!(shown(&env, "a")["restart"]["count"], 0);
}

#[test]
fn a_hung_agent_is_restarted_if_configured() {
    let env = TestEnv::new();
    configure(&env, "[restart]\nhung = true\n");
    std::fs::write(env.state().join("kinds.toml"), "[demo]\nhang_after_s = 1\n").unwrap();
    let args = ["agent", "spawn", "demo", "--name", "a", "--restart", "on-failure", "--task", "/hang"];
    symposium(&env, &args).ok();
    symposium(&env, &["agent", "wait", "a", "--for", "working", "--timeout", "20s"]).ok();
    env.wait_until("it is back at its prompt", || {
        look(&env);
        shown(&env, "a")["status"] == "idle"
    });
}

#[test]
fn locks_of_removed_agents_are_deleted() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    env.symposium(["agent", "kill", "nobody"]).fails(3);
    let lock = |name: &str| env.state().join("run").join(format!("{name}.lock"));
    // A lock file as a killed command leaves it.
    std::fs::write(lock("gone"), "1 kill\n").unwrap();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("they are gone", || !lock("gone").exists() && !lock("nobody").exists());
    assert!(lock("a").exists() && lock("_supervisor").exists());
}

#[test]
fn leftovers_of_killed_commands_are_removed() {
    let env = TestEnv::new();
    symposium(&env, &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    let at = |name: &str| env.state().join(name);
    std::fs::create_dir_all(at("instances/ghost/state")).unwrap();
    std::fs::create_dir_all(at("instances/kept/workspace")).unwrap();
    std::fs::write(at("instances/kept/workspace/notes"), "work").unwrap();
    for name in ["run/ghost.lock", ".agent-sessions.json.tmp-x"] {
        std::fs::write(at(name), "").unwrap();
    }
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("they are gone", || {
        ["instances/ghost", "run/ghost.lock", ".agent-sessions.json.tmp-x"]
            .iter()
            .all(|name| !at(name).exists())
    });
    assert!(at("instances/kept/workspace/notes").exists() && at("instances/a/spec.json").exists());
}
