//! `agent finish --discard-others`: the work of the best agent is kept, that of the others is discarded with a copy.

use std::fs;

use insta::assert_snapshot;

use super::workspace::{git, repository, workspace};
use super::{agent, status};
use crate::support::TestEnv;

/// Starts three agents on one task, each with a file of its own, and one that is not part of the group.
fn three_agents() -> TestEnv {
    let env = repository();
    git(&env, &env.project(), &["config", "user.name", "me"]);
    git(&env, &env.project(), &["config", "user.email", "me@example.org"]);
    agent(&env, &["spawn", "--name", "fix", "--count", "3", "--", "sleep", "1000"]).ok();
    agent(&env, &["spawn", "--name", "web", "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    for name in ["fix-1", "fix-2", "fix-3", "web"] {
        fs::write(workspace(&env, name).join(name), "work\n").unwrap();
    }
    env
}

#[test]
fn the_others_of_the_group_are_named_and_discarded_with_a_copy() {
    let env = three_agents();
    let main = git(&env, &env.project(), &["rev-parse", "main"]);
    let refused = agent(&env, &["finish", "fix-2", "--discard-others"]).fails(2).stderr;
    assert_snapshot!(env.redacted(&refused).replace(&main[..12], "[MAIN]"), @"
    error: finishing `fix-2` needs a confirmation, and there is no terminal to ask
      finish `fix-2` into `main`:
        1. end the agent; its record and recap stay
        2. commit 1 uncommitted file: Work of agent fix-2
        3. squash 1 commit with 1 changed file
        4. update `main` (at [MAIN]), checked out in [ROOT]/project
        5. remove the worktree [ROOT]/home/.symposium/instances/fix-2/workspace
        6. remove the branch `symposium/fix-2`
      `fix-1` will be removed with its work. It is running and will be ended. A copy is kept for 30 days.
        1 uncommitted file: fix-1
        directory [ROOT]/home/.symposium/instances/fix-1/workspace
        branch `symposium/fix-1`
      `fix-3` will be removed with its work. It is running and will be ended. A copy is kept for 30 days.
        1 uncommitted file: fix-3
        directory [ROOT]/home/.symposium/instances/fix-3/workspace
        branch `symposium/fix-3`
    hint: if you agree: `symposium agent finish --yes --discard-others fix-2`
    ");
    assert_eq!(status(&env, "fix-1"), "working", "a plan changes nothing");
    let plan = agent(&env, &["finish", "fix-2", "--discard-others", "--dry-run", "--json"]).ok().json();
    let names = |list: &serde_json::Value, key: &str| -> Vec<String> {
        let named = list.as_array().unwrap().iter();
        named.map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&plan["discarded"], "name"), ["fix-1", "fix-3"]);

    let report = agent(&env, &["finish", "fix-2", "--discard-others", "--yes", "--json"]).ok().json();
    assert_eq!(report["finished"], "fix-2");
    assert_eq!(names(&report["discarded"], "discarded"), ["fix-1", "fix-3"]);
    assert_eq!(git(&env, &env.project(), &["show", "main:fix-2"]), "work");
    for name in ["fix-1", "fix-3"] {
        agent(&env, &["show", name]).fails(3);
        let back = agent(&env, &["recover", name, "--json"]).ok().json();
        let branch = back["branch"].as_str().unwrap();
        assert_eq!(git(&env, &env.project(), &["show", &format!("{branch}:{name}")]), "work");
    }
    assert_eq!(status(&env, "web"), "working");
}

#[test]
fn named_agents_are_discarded_and_mistakes_change_nothing() {
    let env = three_agents();
    let alone = agent(&env, &["finish", "web", "--discard-others", "--yes"]).fails(2).stderr;
    assert!(alone.contains("agent `web` was not started together with others"), "{alone}");
    let itself = agent(&env, &["finish", "web", "web", "--discard-others", "--yes"]).fails(2).stderr;
    assert!(itself.contains("agent `web` cannot be finished and discarded"), "{itself}");
    agent(&env, &["finish", "web", "no-such", "--discard-others", "--yes"]).fails(3);
    assert_eq!(status(&env, "web"), "working");
    agent(&env, &["finish", "web", "fix-1", "--discard-others", "--yes"]).ok();
    assert_eq!(git(&env, &env.project(), &["show", "main:web"]), "work");
    agent(&env, &["show", "fix-1"]).fails(3);
    assert_eq!((status(&env, "fix-2"), status(&env, "fix-3")), ("working".into(), "working".into()));
}
