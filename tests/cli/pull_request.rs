//! `agent finish --pr`: the branch is pushed, and `gh` or `glab` opens a pull request. The remotes are local, and both
//! programs are fakes that record their arguments.

use std::fs;
use std::path::PathBuf;

use super::workspace::{git, repository, workspace};
use super::{agent, status};
use crate::support::TestEnv;

/// Creates a repository with a remote `origin`, and an agent `fix` with a commit and an untracked file.
fn agent_with_remote() -> (TestEnv, PathBuf) {
    let env = repository();
    let (project, remote) = (env.project(), env.project().parent().unwrap().join("origin.git"));
    git(&env, &project, &["config", "user.name", "me"]);
    git(&env, &project, &["config", "user.email", "me@example.org"]);
    git(&env, &project, &["init", "-q", "--bare", &remote.display().to_string()]);
    git(&env, &project, &["remote", "add", "origin", &remote.display().to_string()]);
    let spawn = ["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"];
    agent(&env, &spawn).current_dir(&project).ok();
    let at = workspace(&env, "fix");
    fs::write(at.join("one"), "one\n").unwrap();
    git(&env, &at, &["add", "one"]);
    git(&env, &at, &["commit", "-q", "-m", "add one"]);
    fs::write(at.join("new"), "new\n").unwrap();
    (env, remote)
}

/// Lets `gh` record its arguments, one in a line, and print this text.
fn fake_gh(env: &TestEnv, ends: &str) -> PathBuf {
    let record = env.project().parent().unwrap().join("gh-arguments");
    env.fake_program("gh", &format!("printf '%s\\n' \"$@\" >{}\n{ends}", record.display()));
    record
}

#[test]
fn pull_request_has_all_work_and_the_agent_goes_on() {
    let (env, remote) = agent_with_remote();
    let record = fake_gh(&env, "echo https://forge.example.org/me/project/pull/7");
    let opened = agent(&env, &["finish", "fix", "--pr", "-m", "Fix $(it)", "--yes", "--json"]).ok().json();
    assert_eq!(opened["url"], "https://forge.example.org/me/project/pull/7");
    assert_eq!(opened["command"], serde_json::Value::Null);
    assert_eq!(
        fs::read_to_string(record).unwrap(),
        "pr\ncreate\n--head=symposium/fix\n--base=main\n--title=Fix $(it)\n--body=\n"
    );
    assert_eq!(git(&env, &remote, &["show", "symposium/fix:new"]), "new");
    assert_eq!(git(&env, &remote, &["show", "symposium/fix:one"]), "one");
    assert_eq!(status(&env, "fix"), "working");
    assert!(workspace(&env, "fix").join("new").exists());
    assert_eq!(git(&env, &env.project(), &["log", "--format=%s", "main"]), "first");
}

#[test]
fn dry_run_names_remote_and_program_without_credentials() {
    let (env, remote) = agent_with_remote();
    fake_gh(&env, "exit 1");
    let url = "https://me:secret@github.example.org/me/project.git";
    git(&env, &env.project(), &["remote", "set-url", "origin", url]);
    let shown = agent(&env, &["finish", "fix", "--pr", "-m", "Fix it", "--dry-run"]).ok().stdout;
    assert_eq!(
        shown,
        "open a pull request for `fix` into `main`:\n  1. commit 1 uncommitted file: Fix it\n  2. push `symposium/fix` to `origin` (https://github.example.org/me/project.git)\n  3. open a pull request with `gh`: Fix it\n"
    );
    assert_eq!(git(&env, &remote, &["branch", "--list"]), "");
}

#[test]
fn without_a_program_the_command_is_printed() {
    let (env, remote) = agent_with_remote();
    let output = agent(&env, &["finish", "fix", "--pr", "-m", "Fix it", "--yes"]).ok();
    assert!(
        output.stdout.contains("gh pr create '--head=symposium/fix' '--base=main' '--title=Fix it'"),
        "{output:?}"
    );
    assert!(!git(&env, &remote, &["branch", "--list", "symposium/fix"]).is_empty());
}

#[test]
fn open_pull_request_gets_new_commits() {
    let (env, remote) = agent_with_remote();
    fake_gh(
        &env,
        "echo 'a pull request for branch \"symposium/fix\" already exists:' >&2; echo https://forge.example.org/7 >&2; exit 1",
    );
    agent(&env, &["finish", "fix", "--pr", "--yes"]).ok();
    fs::write(workspace(&env, "fix").join("later"), "later\n").unwrap();
    let again = agent(&env, &["finish", "fix", "--pr", "--yes", "--json"]).ok().json();
    assert_eq!(again["url"], "https://forge.example.org/7");
    assert_eq!(git(&env, &remote, &["show", "symposium/fix:later"]), "later");
}

#[test]
fn failing_program_is_reported_with_the_command_to_repeat() {
    let (env, _remote) = agent_with_remote();
    fake_gh(&env, "echo 'no default remote repository' >&2; exit 1");
    let failed = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1);
    assert!(failed.stderr.contains("error: `gh` cannot open a pull request for `fix`"), "{failed:?}");
    assert!(failed.stderr.contains("no default remote repository"), "{failed:?}");
    assert!(failed.stderr.contains("`symposium/fix` is pushed"), "{failed:?}");
}

#[test]
fn repository_that_configures_programs_is_not_pushed() {
    let (env, remote) = agent_with_remote();
    let marker = env.project().parent().unwrap().join("marker");
    let evil = format!("touch {}", marker.display());
    for (key, value) in [("core.sshCommand", &evil), ("remote.origin.receivepack", &evil)] {
        git(&env, &env.project(), &["config", key, value]);
    }
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1);
    assert!(refused.stderr.contains("its configuration sets `remote.origin.receivepack`"), "{refused:?}");
    assert!(!marker.exists());
    assert_eq!(git(&env, &remote, &["branch", "--list"]), "");
    assert!(workspace(&env, "fix").join("new").exists());
}

#[test]
fn missing_remote_is_reported() {
    let (env, _remote) = agent_with_remote();
    git(&env, &env.project(), &["remote", "remove", "origin"]);
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1);
    assert!(refused.stderr.contains("error: there is no remote to push `symposium/fix` to"), "{refused:?}");
}

#[test]
fn filters_of_the_repository_do_not_run_when_gh_asks_git_for_the_status() {
    let (env, _remote) = agent_with_remote();
    let (at, marker) = (workspace(&env, "fix"), env.project().parent().unwrap().join("marker"));
    fake_gh(&env, "touch -d 2001-01-01 one\ngit status --porcelain\necho https://forge.example.org/7");
    fs::write(at.join(".gitattributes"), "* filter=evil\n").unwrap();
    let clean = format!("touch {}; cat", marker.display());
    git(&env, &env.project(), &["config", "filter.evil.clean", &clean]);
    agent(&env, &["finish", "fix", "--pr", "--yes"]).ok();
    assert!(!marker.exists());
    fs::write(at.join("one"), "ONE\n").unwrap();
    env.program("git", ["status", "--porcelain"]).current_dir(&at).ok();
    assert!(marker.exists(), "the filter would have run");
}

#[test]
fn remotes_inside_the_repository_or_with_several_urls_are_refused() {
    let (env, remote) = agent_with_remote();
    let (project, marker) = (env.project(), env.project().parent().unwrap().join("marker"));
    let inside = workspace(&env, "fix").join("inside.git");
    git(&env, &project, &["init", "-q", "--bare", &inside.display().to_string()]);
    let hook = inside.join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", marker.display())).unwrap();
    env.program("chmod", ["+x", hook.to_str().unwrap()]).ok();
    fs::write(project.join(".git/info/exclude"), "inside.git\n").unwrap();
    git(&env, &project, &["remote", "set-url", "origin", &inside.display().to_string()]);
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(refused.contains("the remote `origin` is a directory that the agent can write"), "{refused}");
    assert!(refused.contains("inside.git would run the hooks there") && !marker.exists(), "{refused}");
    git(&env, &project, &["remote", "set-url", "origin", &remote.display().to_string()]);
    for url in ["https://h.example/a", "https://me:secret@h.example/b"] {
        git(&env, &project, &["remote", "set-url", "--push", "--add", "origin", url]);
    }
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(refused.contains("\n  https://h.example/a\n  https://h.example/b\n"), "{refused}");
    assert!(!refused.contains("secret"), "{refused}");
}

#[test]
fn a_pull_request_that_is_killed_after_the_push_is_opened_and_its_commits_are_undone() {
    let (env, remote) = agent_with_remote();
    let (project, at) = (env.project(), workspace(&env, "fix"));
    fake_gh(&env, "echo https://forge.example.org/7");
    fs::write(env.state().join("config.toml"), "[finish]\nchecks = [\"true\"]\n").unwrap();
    let change_base = |file: &str| {
        fs::write(project.join(file), "1\n").unwrap();
        git(&env, &project, &["add", "-A"]);
        git(&env, &project, &["commit", "-q", "-m", file]);
    };
    change_base("other");
    let finish = ["finish", "fix", "--pr", "--yes", "--json"];
    agent(&env, &finish).env("SYMPOSIUM_FAILPOINT", "finish.pushed").fails(137);
    let opened = agent(&env, &finish).ok().json();
    assert_eq!(opened["url"], "https://forge.example.org/7");
    assert_eq!(git(&env, &remote, &["show", "symposium/fix:new"]), "new");
    let subjects = git(&env, &remote, &["log", "--format=%s", "symposium/fix"]);
    assert_eq!(subjects.lines().count(), 5, "{subjects}");
    // The commits of the next run are undone by what is printed.
    change_base("third");
    fs::write(at.join("later"), "later\n").unwrap();
    let opened = agent(&env, &finish).ok().json();
    let steps = opened["steps"].as_array().unwrap();
    let texts: Vec<&str> = steps.iter().map(|step| step["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..2], ["the uncommitted work is committed", "the worktree has `main` now"]);
    for step in [1, 0] {
        env.program("sh", ["-c", steps[step]["undo"].as_str().unwrap()]).ok();
    }
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "?? later");
}

#[test]
fn a_conflict_is_sent_to_the_agent_and_the_pull_request_is_opened_afterwards() {
    let (env, remote) = agent_with_remote();
    let (project, at) = (env.project(), workspace(&env, "fix"));
    fake_gh(&env, "echo https://forge.example.org/7");
    // The commits may have been pushed, so the agent must not rebase them.
    fs::write(env.state().join("config.toml"), "[finish]\nmethod = \"rebase\"\n").unwrap();
    fs::write(project.join("one"), "mine\n").unwrap();
    git(&env, &project, &["add", "one"]);
    git(&env, &project, &["commit", "-q", "-m", "mine"]);
    let plan = agent(&env, &["finish", "fix", "--pr", "--dry-run", "--json"]).fails(1).json();
    assert_eq!(plan["conflicts"], serde_json::json!(["one"]));
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(refused.contains("`symposium agent finish --resolve --pr fix`"), "{refused}");
    let sent = agent(&env, &["finish", "fix", "--pr", "-m", "Fix it", "--resolve", "--json"]).ok().json();
    let task = env.symposium(["task", "show", &sent["task"].to_string(), "--json"]).ok().json();
    assert!(task["text"].as_str().unwrap_or_default().contains("`git merge main`"), "{task}");
    agent(&env, &["finish", "fix", "--continue", "--discard-others", "--yes"]).fails(2);
    let still = agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(1).stderr;
    assert!(still.contains("conflicts with `main`"), "{still}");
    // What the agent does.
    git(&env, &at, &["add", "-A"]);
    git(&env, &at, &["commit", "-q", "-m", "all"]);
    git(&env, &at, &["merge", "-q", "-X", "ours", "main"]);
    let opened = agent(&env, &["finish", "fix", "--continue", "--yes", "--json"]).ok().json();
    assert_eq!(opened["url"], "https://forge.example.org/7");
    assert_eq!(git(&env, &remote, &["show", "symposium/fix:one"]), "one");
    assert_eq!(git(&env, &project, &["log", "--format=%s", "main"]), "mine\nfirst");
    assert_eq!(status(&env, "fix"), "working");
    let nothing = agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(2).stderr;
    assert!(nothing.contains("there is nothing to continue"), "{nothing}");
}

#[test]
fn a_remote_that_changes_while_the_plan_is_shown_or_the_checks_run_gets_nothing() {
    let (env, remote) = agent_with_remote();
    fake_gh(&env, "echo https://forge.example.org/7");
    let project = env.project();
    let other = project.parent().unwrap().join("other.git");
    git(&env, &project, &["init", "-q", "--bare", &other.display().to_string()]);
    let terminal = env.terminal([env.binary(), "agent", "finish", "fix", "--pr"]);
    terminal.wait_for_text("do this?");
    git(&env, &project, &["remote", "set-url", "--push", "origin", &other.display().to_string()]);
    terminal.keys(&["y"]);
    terminal.wait_for_text("the remote for the work of agent `fix` changed in the meantime");
    let check = format!("git remote set-url --push origin {}", remote.display());
    fs::write(env.state().join("config.toml"), format!("[finish]\nchecks = [{check:?}]\n")).unwrap();
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(
        refused.contains("`fix` changed in the meantime") && refused.contains("nothing was pushed"),
        "{refused}"
    );
    assert!(refused.contains("the uncommitted work is committed; undo: `git "), "{refused}");
    for remote in [&remote, &other] {
        assert_eq!(git(&env, remote, &["branch", "--list"]), "");
    }
}

#[test]
fn a_repository_that_configures_a_proxy_is_not_pushed() {
    let (env, remote) = agent_with_remote();
    git(&env, &env.project(), &["config", "http.proxy", "http://127.0.0.1:1"]);
    let refused = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(refused.contains("could send your credentials where the repository configures"), "{refused}");
    assert!(refused.contains("its configuration sets `http.proxy`"), "{refused}");
    assert_eq!(git(&env, &remote, &["branch", "--list"]), "");
}
