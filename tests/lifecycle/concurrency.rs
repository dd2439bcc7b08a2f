//! Many concurrent commands, each in its own process.

use std::collections::BTreeSet;

use super::*;
use crate::support::run::{Outcome, Running};

/// Waits for all of these processes, which were started before the first wait.
#[track_caller]
fn outcomes(running: Vec<Running>) -> Vec<Outcome> {
    running.into_iter().map(Running::finish).collect()
}

fn spawn(env: &TestEnv, name: &str) -> Running {
    env.symposium(["agent", "spawn", "--name", name, "--", "sleep", "1000"]).start()
}

fn kill(env: &TestEnv, name: &str) -> Running {
    env.symposium(["agent", "kill", name]).start()
}

fn names(prefix: &str) -> Vec<String> {
    (0..50).map(|n| format!("{prefix}-{n}")).collect()
}

/// Returns whether the command succeeded. A failed one must have reported that the loaded machine was too slow.
#[track_caller]
fn was_done(outcome: &Outcome) -> bool {
    let text = outcome.code == 4 && outcome.stderr.contains("error: tmux did not answer within");
    assert!(outcome.code == 0 || text, "neither done nor a clear error: {outcome:?}");
    outcome.code == 0 && !outcome.stderr.contains("its tmux session may remain")
}

#[test]
fn fifty_concurrent_spawns_and_kills_leave_a_consistent_state() {
    let env = TestEnv::new();
    let (old, new) = (names("old"), names("new"));
    let spawned = outcomes(old.iter().map(|name| spawn(&env, name)).collect());
    let old: Vec<_> =
        old.iter().zip(&spawned).filter(|(_, one)| was_done(one)).map(|(name, _)| name).collect();
    let kills = old.iter().map(|name| (name.as_str(), "stopped"));
    let spawns = new.iter().map(|name| (name.as_str(), "working"));
    let mut all = Vec::new();
    // Kills and spawns alternate, so that they really overlap.
    for (kill_one, spawn_one) in kills.zip(spawns) {
        all.push((kill_one, kill(&env, kill_one.0)));
        all.push((spawn_one, spawn(&env, spawn_one.0)));
    }
    let (expected, running): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let outcomes = outcomes(running);
    let done: Vec<_> =
        expected.iter().zip(&outcomes).filter(|(_, one)| was_done(one)).map(|(one, _)| one).collect();
    assert!(done.len() >= 50, "only {} of 100 were done", done.len());
    let listed = assert_in_order(&env);
    let there: BTreeSet<String> = sessions(&env).into_iter().map(|(name, _)| name).collect();
    for (name, status) in done {
        let agent = listed.iter().find(|one| one["name"] == *name).expect("the outcome is known");
        assert_eq!(agent["status"], *status, "{agent}");
        assert_eq!(there.contains(*name), *status == "working", "session {name}");
    }
}

#[test]
fn concurrent_spawns_under_one_name_create_one_agent() {
    let env = TestEnv::new();
    let outcomes = outcomes((0..20).map(|_| spawn(&env, "one")).collect());
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.code == 0);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        let outcome = outcome.fails(1);
        assert!(outcome.stderr.contains("an agent named `one` already exists"), "{outcome:?}");
    }
    assert_eq!(assert_in_order(&env).len(), 1);
    assert_eq!(status(&env, "one"), "working");
}

#[test]
fn kill_all_leaves_only_the_server() {
    let env = TestEnv::new();
    for outcome in outcomes((0..8).map(|n| spawn(&env, &format!("agent-{n}"))).collect()) {
        outcome.ok();
    }
    env.symposium(["agent", "kill", "--all"]).ok();
    assert!(sessions(&env).is_empty());
    let server = server_pid(&env);
    env.wait_until("only the server is left", || {
        env.processes().iter().all(|one| Some(one.pid) == server || !is_running(one.pid))
    });
    assert!(assert_in_order(&env).iter().all(|one| one["status"] == "stopped"));
}

#[test]
fn concurrent_spawns_without_a_name_get_different_names() {
    let env = TestEnv::new();
    let unnamed = || env.symposium(["agent", "spawn", "--", "sleep", "1000"]).start();
    let output: BTreeSet<String> =
        outcomes((0..12).map(|_| unnamed()).collect()).into_iter().map(|one| one.ok().stdout).collect();
    assert_eq!(output.len(), 12, "{output:?}");
    assert_eq!(assert_in_order(&env).len(), 12);
}

#[test]
fn concurrent_kills_of_one_agent_succeed() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    sleeper(&env, "other");
    for outcome in outcomes((0..8).map(|_| kill(&env, "one")).collect()) {
        outcome.ok();
    }
    assert_in_order(&env);
    assert_eq!((status(&env, "one"), status(&env, "other")), ("stopped".into(), "working".into()));
}

#[test]
fn concurrent_lists_and_renames_create_no_duplicates() {
    let env = TestEnv::new();
    sleeper(&env, "a0");
    sleeper(&env, "b0");
    for round in 0..4 {
        let rename = |letter: &str| {
            let (old, new) = (format!("{letter}{round}"), format!("{letter}{}", round + 1));
            env.symposium(["agent", "rename", &old, &new]).start()
        };
        let mut all = vec![rename("a"), rename("b")];
        let list = || env.symposium(["agent", "list", "--json"]).start();
        let lists: Vec<_> = (0..4).map(|_| list()).collect();
        for seen in outcomes(lists) {
            let seen = seen.ok().json();
            assert_eq!(seen.as_array().unwrap().len(), 2, "{seen}");
            assert!(seen.as_array().unwrap().iter().all(|one| one["status"] == "working"), "{seen}");
        }
        all.drain(..).for_each(|rename| drop(rename.finish().ok()));
    }
    let names: Vec<_> = assert_in_order(&env).into_iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["a4", "b4"]);
}
