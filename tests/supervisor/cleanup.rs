//! Cleanup: deleted projects, hung agents, stale locks and leftovers of killed commands.

use super::{configure, shown, symposium};
use crate::support::TestEnv;

#[test]
fn an_agent_of_a_deleted_project_is_marked_and_pruned_on_request() {
    let env = TestEnv::new();
    let notices = env.home().join("told");
    let command = format!("[notify]\ncommand = [\"sh\", \"-c\", \"cat >>{}\"]\n", notices.display());
    configure(&env, &(command + "[cleanup]\ndeleted_projects = \"prune\"\nafter = \"0s\"\n"));
    let dir = env.root().join("gone");
    std::fs::create_dir(&dir).unwrap();
    let args = ["agent", "spawn", "--name", "a", "--dir", dir.to_str().unwrap(), "--", "sleep", "1000"];
    env.symposium(args).ok();
    std::fs::remove_dir(&dir).unwrap();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the missing directory is recorded", || shown(&env, "a")["directory_gone"].is_string());
    assert_eq!(shown(&env, "a")["status"], "working", "a running agent is not restarted");
    env.wait_until("the notice is sent", || {
        std::fs::read_to_string(&notices).is_ok_and(|text| text.contains("the directory of a is gone"))
    });
    assert!(symposium(&env, &["agent", "list"]).ok().stdout.contains("gone (gone)"));
    symposium(&env, &["agent", "stop", "a"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the agent is removed", || symposium(&env, &["agent", "show", "a"]).outcome().code == 3);
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
    env.wait_until("the leftovers are removed", || {
        ["instances/ghost", "run/ghost.lock", ".agent-sessions.json.tmp-x"]
            .iter()
            .all(|name| !at(name).exists())
    });
    assert!(at("instances/kept/workspace/notes").exists() && at("instances/a/spec.json").exists());
}
