//! Filters that the configuration of a repository names never run, also for files that are as new as the index: git
//! compares those again whenever it writes an index.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::workspace::{git, repository, workspace};
use super::{spawned, wait_for};
use crate::support::TestEnv;

/// Stages a change without the filter, hides another file, and makes the index older than its entries.
fn stage(env: &TestEnv, at: &Path, text: &str) {
    fs::write(at.join("a.evil"), text).unwrap();
    let off = ["-c", "filter.ev.clean=", "-c", "filter.ev.required=false"];
    git(env, at, &[&off[..], &["update-index", "--add", "a.evil"]].concat());
    git(env, at, &[&off[..], &["update-index", "--assume-unchanged", "b.evil"]].concat());
    let index = git(env, at, &["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    let written = fs::metadata(at.join("a.evil")).unwrap().modified().unwrap();
    let earlier = written - Duration::from_secs(3600);
    File::options().append(true).open(index).unwrap().set_modified(earlier).unwrap();
}

#[test]
fn no_command_runs_a_filter_of_the_repository() {
    let env = repository();
    let project = env.project();
    fs::write(project.join(".gitattributes"), "*.evil filter=ev\n").unwrap();
    fs::write(project.join("b.evil"), "one\n").unwrap();
    git(&env, &project, &["add", "-A"]);
    git(&env, &project, &["commit", "-q", "-m", "evil"]);
    spawned(&env, &["demo", "--name", "fix", "--workspace", "worktree"]);
    wait_for(&env, "fix", "idle");
    let (at, marker) = (workspace(&env, "fix"), env.root().join("marker"));
    for key in ["clean", "smudge"] {
        let program = format!("touch {}; cat", marker.display());
        git(&env, &project, &["config", &format!("filter.ev.{key}"), &program]);
    }
    let id = env.registry()["sessions"]["fix"]["id"].as_str().expect("an id").to_owned();
    let commands: [&[&str]; 9] = [
        &["take-checkpoint", "fix", &id],
        &["agent", "diff", "fix"],
        &["agent", "list", "--work"],
        &["agent", "show", "fix"],
        &["agent", "finish", "fix", "--dry-run"],
        &["agent", "rm", "fix", "--dry-run"],
        &["agent", "discard", "fix", "--dry-run"],
        &["agent", "checkpoint", "restore", "fix", "1", "--yes"],
        &["agent", "discard", "fix", "--yes"],
    ];
    for (number, command) in commands.into_iter().enumerate() {
        stage(&env, &at, &format!("{number}\n"));
        env.symposium(command).outcome();
        assert!(!marker.exists(), "{command:?}");
    }
    assert!(!at.exists(), "the last command removes the worktree");
}
