//! `agent spawn --count` and `--kinds`: several agents on one task.

use insta::assert_snapshot;

use super::workspace::{git, repository, workspace};
use super::{agent, prompts, shown, wait_for};

#[test]
fn several_agents_start_on_one_task_in_worktrees_of_their_own() {
    let env = repository();
    let outcome =
        agent(&env, &["spawn", "demo", "--name", "fix", "--count", "3", "--task", "say hello"]).ok();
    assert_eq!(outcome.stdout, "fix-1\nfix-2\nfix-3\n");
    let hint = "compare them with: symposium agent compare fix-1 fix-2 fix-3\n";
    assert!(outcome.stderr.ends_with(hint), "{}", outcome.stderr);
    let registry = env.registry();
    let group = |name: &str| registry["sessions"][name]["group"].as_str().unwrap().to_owned();
    for name in ["fix-1", "fix-2", "fix-3"] {
        wait_for(&env, name, "idle");
        assert_eq!(prompts(&env, name), ["say hello"]);
        let branch = git(&env, &workspace(&env, name), &["branch", "--show-current"]);
        assert_eq!(branch, format!("symposium/{name}"));
        assert_eq!(group(name), group("fix-1"));
    }
    // Another group has another id, and generated names skip those that are taken.
    let more = agent(&env, &["spawn", "--count", "2", "--json", "--", "sleep", "1000"]).ok().json();
    assert_eq!((&more[0]["name"], &more[1]["name"]), (&"sleep-1".into(), &"sleep-2".into()));
    assert_ne!(env.registry()["sessions"]["sleep-1"]["group"], registry["sessions"]["fix-1"]["group"]);
}

#[test]
fn failure_of_one_agent_is_reported_and_the_others_run() {
    let env = repository();
    agent(&env, &["spawn", "--name", "fix-2", "--", "sleep", "1000"]).ok();
    let outcome = agent(&env, &["spawn", "demo", "--name", "fix", "--count", "3"]).fails(1);
    assert_eq!(outcome.stdout, "fix-1\nfix-3\n");
    assert_snapshot!(outcome.stderr, @"
    creating a worktree on branch `symposium/fix-1`
    error: an agent named `fix-2` already exists
    hint: attach to it with `symposium agent attach fix-2`, or choose another name
    creating a worktree on branch `symposium/fix-3`
    compare them with: symposium agent compare fix-1 fix-3
    ");
}

#[test]
fn one_agent_of_each_kind_starts() {
    let env = repository();
    let outcome =
        agent(&env, &["spawn", "--kinds", "demo,claude", "--name", "fix", "--task", "say hello"]).fails(1);
    assert_eq!(outcome.stdout, "fix-demo\n");
    assert!(outcome.stderr.contains("error: `claude` is not installed"), "{}", outcome.stderr);
    wait_for(&env, "fix-demo", "idle");
    assert_eq!(shown(&env, "fix-demo")["workspace"], "worktree");
    let twice = agent(&env, &["spawn", "--kinds", "demo,demo"]).fails(2).stderr;
    assert_snapshot!(twice, @"
    error: `--kinds` names `demo` twice
    hint: `--count` starts several agents of one kind
    ");
    let in_place = agent(&env, &["spawn", "demo", "--count", "2", "--workspace", "in-place"]).fails(2).stderr;
    assert_snapshot!(in_place, @"
    error: several agents on one task need a worktree each, and `--workspace` is in-place
    hint: omit `--workspace`
    ");
}
