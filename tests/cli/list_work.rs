//! `agent list --work`: changes, position relative to the base, expected conflicts and pull request of each worktree.
//! `gh` is a fake that counts its calls.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::workspace::{git, repository, workspace};
use super::{agent, spawned};
use crate::support::TestEnv;

/// Starts an agent in a worktree.
fn worker(env: &TestEnv, name: &str) -> std::path::PathBuf {
    spawned(env, &["--name", name, "--workspace", "worktree", "--", "sleep", "1000"]);
    workspace(env, name)
}

/// Returns the work of an agent as `agent list --work --json` reports it.
fn work(env: &TestEnv, name: &str) -> Value {
    let listed = agent(env, &["list", "--work", "--json"]).ok().json();
    let found = listed.as_array().unwrap().iter().find(|agent| agent["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {listed}"))["work"].clone()
}

/// Commits this content of `src/lib.rs`.
fn commit(env: &TestEnv, top: &std::path::Path, text: &str) {
    fs::write(top.join("src/lib.rs"), text).unwrap();
    git(env, top, &["commit", "-q", "-a", "-m", text.trim()]);
}

/// Starts agents with merged, conflicting, clean and no work.
fn agents_with_work() -> TestEnv {
    let env = repository();
    let [merged, conflicting, clean, _] =
        ["merged", "conflicting", "clean", "empty"].map(|name| worker(&env, name));
    commit(&env, &merged, "// merged\n");
    git(&env, &env.project(), &["merge", "-q", "--squash", "symposium/merged"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "squashed"]);
    fs::write(conflicting.join("src/lib.rs"), "// not committed\n").unwrap();
    fs::write(clean.join("new"), "new\n").unwrap();
    git(&env, &clean, &["add", "new"]);
    git(&env, &clean, &["commit", "-q", "-m", "new"]);
    env
}

#[test]
fn merged_work_and_expected_conflicts_are_listed() {
    let env = agents_with_work();
    let text = agent(&env, &["list", "--work"]).env("COLUMNS", "120").ok().stdout;
    let without_sizes: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(|c: char| c.is_ascii_digit() || ".kB ".contains(c)))
        .collect();
    assert_snapshot!(without_sizes.join("\n"), @"
    NAME         STATUS   BRANCH                 CHANGED  AHEAD  BEHIND  MERGE       SIZE
    clean        working  symposium/clean              0      1       1  clean
    conflicting  working  symposium/conflicting        1      0       1  1 conflict
    empty        working  symposium/empty              0      0       1  empty
    merged       working  symposium/merged             0      1       1  merged
    ");
    let summary = |name| {
        let work = work(&env, name);
        json!([work["changed"], work["base"], work["merged"], work["merge"]])
    };
    let base = |ahead: u64, behind: u64| json!({"name": "main", "ahead": ahead, "behind": behind});
    assert_eq!(summary("merged"), json!([0, base(1, 1), "merged", {"state": "nothing"}]));
    assert_eq!(
        summary("conflicting"),
        json!([1, base(0, 1), "empty", {"state": "conflicts", "paths": ["src/lib.rs"]}])
    );
    assert_eq!(summary("clean"), json!([0, base(1, 1), "unmerged", {"state": "clean"}]));
    assert_eq!(summary("empty"), json!([0, base(0, 1), "empty", {"state": "nothing"}]));
}

#[test]
fn programs_of_the_repository_do_not_run_for_a_list() {
    let env = agents_with_work();
    let marker = env.root().join("was-run");
    let program = format!("touch {}; cat", marker.display());
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "diff.external",
    ] {
        git(&env, &env.project(), &["config", key, &program]);
    }
    git(&env, &env.project(), &["config", "core.fsmonitor", &program]);
    fs::write(env.project().join(".git/info/attributes"), "* filter=evil merge=evil diff=evil\n").unwrap();
    fs::remove_file(&marker).ok();
    assert_eq!(work(&env, "conflicting")["merge"]["state"], "conflicts");
    assert!(!marker.exists());
}

/// Starts the agents `clean` and `other` in a repository with a remote on GitHub. `gh` counts its calls and prints this.
fn agents_on_github(gh: &str) -> TestEnv {
    let env = repository();
    git(&env, &env.project(), &["remote", "add", "origin", "https://me:secret@github.com/Me/project.git"]);
    let calls = calls_file(&env);
    env.fake_program("gh", &format!("printf '%s\\n' \"$*\" >>{}\n{gh}", calls.display()));
    let clean = worker(&env, "clean");
    worker(&env, "other");
    commit(&env, &clean, "// clean\n");
    env
}

fn calls_file(env: &TestEnv) -> std::path::PathBuf {
    env.root().join("gh-calls")
}

fn calls(env: &TestEnv) -> usize {
    fs::read_to_string(calls_file(env)).unwrap_or_default().lines().count()
}

/// Returns the script of a `gh` that prints one pull request.
fn pull_request(owner: &str, branch: &str) -> String {
    let listed = json!([{
        "number": 12,
        "url": "https://github.com/me/project/pull/12",
        "state": "OPEN",
        "headRefName": branch,
        "headRepositoryOwner": {"login": owner},
        "closedAt": null,
        "statusCheckRollup": [{"status": "COMPLETED", "conclusion": "SUCCESS", "name": "test"}],
    }]);
    format!("echo '{listed}'")
}

#[test]
fn pull_request_is_listed_with_its_checks_and_asked_once_a_minute() {
    let env = agents_on_github(&pull_request("me", "symposium/clean"));
    let text = agent(&env, &["list", "--work"]).env("COLUMNS", "120").ok().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("MERGE  PR                     SIZE"), "{text}");
    assert!(lines[1].contains("clean  #12 open, checks pass  "), "{text}");
    assert!(!lines[2].contains('#'), "{text}");
    let url = "https://github.com/me/project/pull/12";
    let expected = json!({"number": 12, "url": url, "state": "open", "checks": "pass"});
    assert_eq!(work(&env, "clean")["pull_request"], expected);
    assert_eq!(work(&env, "other")["pull_request"], Value::Null);
    let asked = fs::read_to_string(calls_file(&env)).unwrap();
    assert!(
        asked.starts_with("pr list --state=all --limit=50 --json=number,url,state,headRefName"),
        "{asked}"
    );
    assert_eq!(calls(&env), 1);
    let file = env.home().join(".symposium/run/pull-requests.json");
    let cached = fs::read_to_string(&file).unwrap();
    assert!(!cached.contains("secret"), "{cached}");
    let mut cached: Value = serde_json::from_str(&cached).unwrap();
    for entry in cached.as_object_mut().unwrap().values_mut() {
        entry["asked_at"] = json!("2026-01-01T00:00:00Z");
    }
    fs::write(&file, cached.to_string()).unwrap();
    env.fake_program("gh", "echo '[]'");
    assert_eq!(work(&env, "clean")["pull_request"], Value::Null);
}

#[test]
fn failing_gh_is_reported_in_json_only() {
    let env = agents_on_github("echo 'please run: gh auth login' >&2; exit 4");
    let listed = agent(&env, &["list", "--work"]).ok();
    assert!(!listed.stdout.contains(" PR") && listed.stderr.is_empty(), "{listed:?}");
    let work = work(&env, "clean");
    assert_eq!(work["pull_request"], Value::Null);
    assert_eq!(work["pull_request_error"], "`gh pr list`: please run: gh auth login");
    assert_eq!(work["merge"]["state"], "clean");
    assert_eq!(calls(&env), 1);
}
