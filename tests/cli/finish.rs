//! `agent finish`: the work gets into the base branch, in repositories of many shapes, and nothing is lost.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use super::workspace::{git, repository, workspace};
use super::{agent, status};
use crate::support::TestEnv;

/// Creates a repository whose commits have an author without an option.
pub(super) fn finishing_repository() -> TestEnv {
    let env = repository();
    git(&env, &env.project(), &["config", "user.name", "me"]);
    git(&env, &env.project(), &["config", "user.email", "me@example.org"]);
    env
}

/// Starts an agent with two commits, a changed file and an untracked file.
#[track_caller]
pub(super) fn agent_with_work(env: &TestEnv, name: &str, dir: &Path) {
    let spawn = ["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"];
    agent(env, &spawn).current_dir(dir).ok();
    let at = workspace(env, name);
    for file in ["one", "two"] {
        fs::write(at.join(file), format!("{file}\n")).unwrap();
        git(env, &at, &["add", file]);
        git(env, &at, &["commit", "-q", "-m", &format!("add {file}")]);
    }
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    fs::write(at.join("new"), "new\n").unwrap();
}

/// Adds a commit to the branch that is checked out in a directory.
pub(super) fn commit(env: &TestEnv, dir: &Path, file: &str, text: &str) {
    fs::write(dir.join(file), text).unwrap();
    git(env, dir, &["add", file]);
    git(env, dir, &["commit", "-q", "-m", &format!("change {file}")]);
}

#[track_caller]
pub(super) fn finish(env: &TestEnv, args: &[&str]) -> Value {
    agent(env, &[&["finish", "--yes", "--json"], args].concat()).ok().json()
}

fn subjects(env: &TestEnv, dir: &Path, range: &str) -> Vec<String> {
    git(env, dir, &["log", "--format=%s", range]).lines().map(str::to_owned).collect()
}

/// Checks that a branch has all files of the agent, and that worktree and branch are gone.
#[track_caller]
pub(super) fn assert_finished(env: &TestEnv, repository: &Path, name: &str, base: &str) {
    for (file, text) in [("one", "one"), ("two", "two"), ("new", "new"), ("src/lib.rs", "// changed")] {
        assert_eq!(git(env, repository, &["show", &format!("{base}:{file}")]), text, "{file}");
    }
    assert!(!workspace(env, name).exists());
    assert_eq!(git(env, repository, &["branch", "--list", &format!("symposium/{name}")]), "");
    assert_eq!(status(env, name), "stopped");
}

#[test]
fn a_plan_is_shown_and_a_squash_gets_everything_into_the_base_branch() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    fs::write(project.join("untracked"), "mine\n").unwrap();
    let before = git(&env, &project, &["rev-parse", "main"]);
    let objects = git(&env, &project, &["count-objects"]);
    fs::write(workspace(&env, "fix").join("target"), "ignored\n").unwrap();
    let plan = agent(&env, &["finish", "fix", "-m", "Rewrite it", "--dry-run"]).ok().stdout;
    assert_snapshot!(env.redacted(&plan).replace(&before[..12], "[MAIN]"), @"
    finish `fix` into `main`:
      1. end the agent; its record and recap stay
      2. commit 2 uncommitted files: Rewrite it
      3. squash 3 commits with 4 changed files
      4. update `main` (at [MAIN]), checked out in [ROOT]/project
      5. remove the worktree [ROOT]/home/.symposium/instances/fix/workspace
      6. remove the branch `symposium/fix`
      1 ignored file or directory is deleted with the worktree: `target`; `--keep` keeps the worktree
    ");
    let refused = agent(&env, &["finish", "fix"]).fails(2).stderr;
    assert!(refused.contains("needs a confirmation"), "{refused}");
    let refused = agent(&env, &["finish", "fix", "--keep", "--rebase", "--no-checks", "-m", "Two words"])
        .fails(2)
        .stderr;
    let command = "symposium agent finish --yes --rebase --keep --no-checks -m 'Two words' fix";
    assert!(refused.contains(command), "{refused}");
    assert_eq!(git(&env, &project, &["count-objects"]), objects, "a plan writes nothing");
    assert_eq!(status(&env, "fix"), "working");

    let report = finish(&env, &["fix", "-m", "Rewrite it"]);
    assert_eq!((&report["finished"], &report["method"]), (&"fix".into(), &"squash".into()));
    assert_eq!(report["from"], before.as_str());
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(subjects(&env, &project, "main"), ["Rewrite it", "first"]);
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "?? untracked", "the checkout follows");
    assert_eq!(fs::read_to_string(project.join("new")).unwrap(), "new\n");
    // The record and its recap stay, and the agent can be removed.
    let shown = super::shown(&env, "fix");
    assert_eq!(shown["reason"], "its work is in `main`");
    agent(&env, &["recap", "fix"]).ok();
    let last = report["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["text"], "the agent is ended; its record, recap and conversation stay");
    assert_eq!(last["undo"], "symposium agent resume fix");

    // Everything can be undone by what was printed.
    let undo = report["steps"].as_array().unwrap().iter().filter_map(|step| step["undo"].as_str());
    for command in undo.filter(|command| command.starts_with("git ")) {
        env.program("sh", ["-c", command]).ok();
    }
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    assert!(!project.join("new").exists());
    assert_eq!(subjects(&env, &project, "main..symposium/fix"), ["Rewrite it", "add two", "add one"]);
    let back = agent(&env, &["recover", "fix", "--json"]).ok().json();
    assert_eq!(git(&env, &project, &["show", &format!("{}:new", back["branch"].as_str().unwrap())]), "new");
    agent(&env, &["rm", "fix"]).ok();
}

#[test]
fn unusual_repositories_are_finished() {
    let env = finishing_repository();
    let project = env.project();
    // A stacked branch: the base is not the main branch.
    git(&env, &project, &["checkout", "-q", "-b", "below"]);
    commit(&env, &project, "below", "x\n");
    agent_with_work(&env, "stacked", &project);
    let main = git(&env, &project, &["rev-parse", "main"]);
    finish(&env, &["stacked"]);
    assert_finished(&env, &project, "stacked", "below");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), main);
    git(&env, &project, &["checkout", "-q", "main"]);
    // A detached HEAD in the worktree.
    agent_with_work(&env, "detached", &project);
    let at = workspace(&env, "detached");
    git(&env, &at, &["checkout", "-q", "--detach"]);
    let plan = agent(&env, &["finish", "detached", "--dry-run"]).ok().stdout;
    assert!(plan.contains("HEAD of `detached` is detached"), "{plan}");
    finish(&env, &["detached"]);
    assert_finished(&env, &project, "detached", "main");
    // Work that is in the base branch already is only cleaned up.
    let spawn = ["spawn", "--name", "empty", "--workspace", "worktree", "--", "sleep", "1000"];
    agent(&env, &spawn).ok();
    let report = finish(&env, &["empty"]);
    assert_eq!(report["commit"], Value::Null);
    assert!(!workspace(&env, "empty").exists());
    // A bare repository with worktrees.
    let bare = env.root().join("bare.git");
    git(&env, &project, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    git(&env, &bare, &["config", "user.name", "me"]);
    git(&env, &bare, &["config", "user.email", "me@example.org"]);
    let tree = env.root().join("tree");
    git(&env, &bare, &["branch", "-q", "-f", "main", "main~1"]);
    git(&env, &bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "main"]);
    agent_with_work(&env, "bare", &tree);
    finish(&env, &["bare"]);
    assert_finished(&env, &tree, "bare", "main");
    assert_eq!(git(&env, &tree, &["status", "--porcelain"]), "");
    // An agent in place has nothing to merge.
    agent(&env, &["spawn", "--name", "here", "--", "sleep", "1000"]).ok();
    let refused = agent(&env, &["finish", "here", "--yes"]).fails(2).stderr;
    assert!(refused.contains("agent `here` works in place"), "{refused}");
    // An expression is not the name of a branch.
    agent(&env, &["spawn", "--name", "into", "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    for commit in ["main~1", "main^", "main@{0}", "refs/heads/main"] {
        agent(&env, &["finish", "into", "--yes", "--into", commit]).fails(2);
    }
}

#[test]
fn keep_lets_the_agent_continue_from_the_result() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "other", "1\n");
    finish(&env, &["fix", "--keep"]);
    let at = workspace(&env, "fix");
    assert_eq!(status(&env, "fix"), "working");
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    assert_eq!(git(&env, &at, &["rev-parse", "HEAD"]), git(&env, &project, &["rev-parse", "main"]));
    assert_eq!(fs::read_to_string(at.join("other")).unwrap(), "1\n");
    fs::write(at.join("more"), "more\n").unwrap();
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["show", "main:more"]), "more");
}

#[test]
fn a_hostile_repository_starts_nothing() {
    let env = finishing_repository();
    let project = env.project();
    commit(&env, &project, "both", "1\n2\n3\n4\n5\n6\n7\n");
    agent_with_work(&env, "fix", &project);
    let at = workspace(&env, "fix");
    fs::write(at.join(".gitattributes"), "* merge=evil filter=evil diff=evil\n").unwrap();
    fs::write(at.join("both"), "one\n2\n3\n4\n5\n6\n7\n").unwrap();
    commit(&env, &project, "both", "1\n2\n3\n4\n5\n6\nseven\n");
    let marker = env.root().join("marker");
    let command = format!("touch {}", marker.display());
    let keys = [
        "merge.evil.driver",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "gpg.program",
        "gc.recentObjectsHook",
    ];
    for key in keys {
        git(&env, &project, &["config", key, &command]);
    }
    git(&env, &project, &["config", "merge.default", "evil"]);
    git(&env, &project, &["config", "merge.renormalize", "true"]);
    git(&env, &project, &["config", "commit.gpgSign", "true"]);
    for hook in ["reference-transaction", "post-checkout", "pre-commit", "post-merge", "post-index-change"] {
        let path = project.join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{command}\n")).unwrap();
        env.program("chmod", ["+x", path.to_str().unwrap()]).ok();
    }
    agent(&env, &["finish", "fix", "--dry-run"]).ok();
    assert!(!marker.exists(), "the plan");
    agent(&env, &["finish", "fix", "--yes"]).ok();
    assert!(!marker.exists(), "the run");
    assert_eq!(fs::read_to_string(project.join("both")).unwrap(), "one\n2\n3\n4\n5\n6\nseven\n");
}

/// Kills a run at each of these steps, one after the other, so that each run continues the one before it.
#[track_caller]
fn killed_at(env: &TestEnv, args: &[&str], steps: &[&str]) {
    for step in steps {
        let run = agent(env, &[&["finish", "fix", "--yes"], args].concat());
        run.env("SYMPOSIUM_FAILPOINT", step).fails(137);
    }
    agent(env, &[&["finish", "fix", "--yes"], args].concat()).ok();
    assert!(!env.state().join("instances/fix/state/finish.json").exists(), "{steps:?}");
}

#[test]
fn a_run_that_is_killed_at_any_step_is_continued_or_starts_again() {
    let before_the_move = [
        "finish.prepared",
        "kill.signalled",
        "finish.ended",
        "finish.advanced",
        "finish.committed",
        "finish.moving",
    ];
    let after_the_move = ["finish.files", "finish.noted", "finish.kept", "rm.worktree", "finish.cleaned"];
    let env = finishing_repository();
    let project = env.project();
    let first = git(&env, &project, &["rev-parse", "main"]);
    let rebased = ["change other", "add one", "add two", "Rest"].len();
    for (args, steps, commits) in [
        (&["--rebase", "-m", "Rest"][..], &before_the_move[..], rebased),
        (&[], &after_the_move, 2),
        (&[], &["finish.moved"], 2),
    ] {
        agent_with_work(&env, "fix", &project);
        commit(&env, &project, "other", steps[0]);
        killed_at(&env, args, steps);
        assert_finished(&env, &project, "fix", "main");
        assert_eq!(git(&env, &project, &["status", "--porcelain"]), "", "{steps:?}");
        let range = format!("{first}..main");
        let subjects = subjects(&env, &project, &range);
        assert_eq!(subjects.len(), commits, "the work is merged once: {subjects:?}");
        agent(&env, &["rm", "fix"]).ok();
        git(&env, &project, &["reset", "-q", "--hard", &first]);
    }
}

#[test]
fn a_run_with_keep_that_is_killed_is_continued() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "other", "1\n");
    killed_at(&env, &["--keep"], &["finish.advanced", "finish.files", "finish.kept", "finish.cleaned"]);
    let at = workspace(&env, "fix");
    assert_eq!(status(&env, "fix"), "working");
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    assert_eq!(git(&env, &at, &["rev-parse", "HEAD"]), git(&env, &project, &["rev-parse", "main"]));
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "");
    assert_eq!(subjects(&env, &project, "main").len(), 3, "the work is merged once");
    assert_eq!(git(&env, &project, &["show", "main:new"]), "new");
}

#[test]
fn a_base_that_moves_meanwhile_and_new_files_stop_the_run() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    let stopped = |step: &str| {
        let run = agent(&env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", step).start();
        env.wait_until("the run is stopped at the failpoint", || run.is_stopped());
        run
    };
    let run = stopped("stop:finish.ended");
    fs::write(workspace(&env, "fix").join("late"), "late\n").unwrap();
    run.go_on();
    let stderr = run.finish().fails(1).stderr;
    assert!(stderr.contains("changed in the meantime"), "{stderr}");
    assert_eq!(subjects(&env, &project, "main"), ["first"]);
    // The user switches branches while the agent is ended, and git ignores a new file.
    let run = stopped("stop:finish.ended");
    git(&env, &project, &["checkout", "-q", "-b", "side"]);
    run.go_on();
    let stderr = run.finish().fails(1).stderr;
    assert!(stderr.contains("the checkout of `main` changed in the meantime"), "{stderr}");
    assert!(stderr.contains("it is checked out nowhere now"), "{stderr}");
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "", "the side branch has no changes");
    let run = stopped("stop:finish.ended");
    git(&env, &project, &["checkout", "-q", "main"]);
    run.go_on();
    let stderr = run.finish().fails(1).stderr;
    assert!(stderr.contains(&format!("it is checked out in {} now", project.display())), "{stderr}");
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "", "main has no changes");
    let run = stopped("stop:finish.ended");
    fs::write(project.join(".git/info/exclude"), "new\n").unwrap();
    fs::write(project.join("new"), "mine\n").unwrap();
    run.go_on();
    let stderr = run.finish().fails(1).stderr;
    assert!(stderr.contains("files that git does not track are in the way"), "{stderr}");
    assert_eq!(fs::read_to_string(project.join("new")).unwrap(), "mine\n");
    fs::remove_file(project.join("new")).unwrap();
    fs::remove_file(project.join(".git/info/exclude")).unwrap();
    // A commit that another program makes while the files change.
    let run = stopped("stop:finish.moving");
    let tree = git(&env, &project, &["rev-parse", "main^{tree}"]);
    let other = git(&env, &project, &["commit-tree", &tree, "-p", "main", "-m", "other"]);
    git(&env, &project, &["update-ref", "refs/heads/main", &other]);
    run.go_on();
    let stderr = run.finish().fails(1).stderr;
    assert!(stderr.contains("`main` moved in the meantime"), "{stderr}");
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "", "the files are as before");
    assert_eq!(subjects(&env, &project, "main"), ["other", "first"]);
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["show", "main:late"]), "late");
}

#[test]
fn a_conflict_is_sent_to_the_agent_and_the_run_continues_with_the_same_options() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    let at = workspace(&env, "fix");
    commit(&env, &project, "src/lib.rs", "// mine\n");
    let plan = agent(&env, &["finish", "fix", "--dry-run", "--json"]).fails(1).json();
    assert_eq!(plan["conflicts"], serde_json::json!(["src/lib.rs"]));
    let nothing = agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(2).stderr;
    assert!(nothing.contains("there is nothing to continue"), "{nothing}");
    let sent = agent(&env, &["finish", "fix", "--merge", "-m", "Join", "--resolve", "--json"]).ok().json();
    let task = env.symposium(["task", "show", &sent["task"].to_string(), "--json"]).ok().json();
    let text = task["text"].as_str().unwrap_or_default();
    assert!(text.contains("`git merge main`") && text.contains("\n- src/lib.rs"), "{task}");
    // Nothing has been changed, and the conflict is still there.
    assert_eq!(subjects(&env, &project, "main"), ["change src/lib.rs", "first"]);
    let still = agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(1).stderr;
    assert!(still.contains("conflicts with `main`"), "{still}");
    // What the agent does.
    git(&env, &at, &["add", "-A"]);
    git(&env, &at, &["commit", "-q", "-m", "all"]);
    let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    env.program("git", who.iter().chain(&["merge", "main"])).current_dir(&at).fails(1);
    let unresolved = agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(1).stderr;
    assert!(unresolved.contains("a merge is in progress"), "{unresolved}");
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    git(&env, &at, &["commit", "-q", "-a", "-m", "resolved"]);
    let report = finish(&env, &["fix", "--continue"]);
    assert_eq!(report["method"], "merge");
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["log", "-1", "--format=%s", "main"]), "Join");
}

#[test]
fn abort_forgets_the_stored_options_and_changes_nothing() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "src/lib.rs", "// mine\n");
    agent(&env, &["finish", "fix", "--resolve"]).ok();
    let aborted = agent(&env, &["finish", "fix", "--abort"]).ok().stderr;
    assert!(aborted.contains("its work stays as it is"), "{aborted}");
    agent(&env, &["finish", "fix", "--continue", "--yes"]).fails(2);
    assert_eq!(status(&env, "fix"), "working");
    assert!(workspace(&env, "fix").join("new").exists());
}

#[test]
fn checks_see_the_merged_result_and_decide_whether_the_base_moves() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "other", "1\n");
    let before = git(&env, &project, &["rev-parse", "main"]);
    let config = |checks: &str| {
        fs::write(env.state().join("config.toml"), format!("[finish]\nchecks = [{checks}]\n")).unwrap();
    };
    config("'test -e other && test -e new', 'echo broken; exit 3'");
    let failed = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(failed.contains("check `echo broken; exit 3` failed for agent `fix`"), "{failed}");
    assert!(
        failed.contains("\n  broken\n") && failed.contains("the base branch was not changed"),
        "{failed}"
    );
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    assert_eq!(status(&env, "fix"), "working", "the agent can repair its work");
    let at = workspace(&env, "fix");
    // The commit of the uncommitted work and the merge of the base are undone by what was printed.
    let undo: Vec<&str> = failed.split('`').filter(|part| part.starts_with("git -C ")).collect();
    assert_eq!(undo.len(), 2, "{failed}");
    for command in undo {
        env.program("sh", ["-c", command]).ok();
    }
    assert_eq!(subjects(&env, &at, "HEAD"), ["add two", "add one", "first"]);
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), " M src/lib.rs\n?? new");
    // A check that writes files stops the run before the agent ends.
    config("'echo log > written'");
    let stderr = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(stderr.contains("files of agent `fix` changed during the checks\n  written\n"), "{stderr}");
    assert!(stderr.contains("the agent was not ended"), "{stderr}");
    assert_eq!(status(&env, "fix"), "working");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    fs::remove_file(at.join("written")).unwrap();
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(at.join("other")).unwrap(), "1\n");
    config("'test -e other && test -e new'");
    agent(&env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", "finish.checked").fails(137);
    finish(&env, &["fix", "-m", "Checked"]);
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(subjects(&env, &project, "main"), ["Checked", "change other", "first"]);
}

#[test]
fn checks_of_a_project_need_consent_for_their_content() {
    let env = finishing_repository();
    let project = env.project();
    let marker = env.root().join("marker");
    fs::create_dir(project.join(".symposium")).unwrap();
    let file = |project: &Path, more: &str| {
        let text = format!("[finish]\nchecks = [\"touch {}{more}\"]\n", marker.display());
        fs::write(project.join(".symposium/finish.toml"), text).unwrap();
    };
    file(&project, "");
    git(&env, &project, &["add", "-A"]);
    git(&env, &project, &["commit", "-q", "-m", "checks"]);
    agent_with_work(&env, "fix", &project);
    // The agent cannot choose the checks by itself.
    file(&workspace(&env, "fix"), ".agent");
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("you have not agreed to .symposium/finish.toml"), "{refused}");
    assert!(refused.contains("it runs `touch ") && !marker.exists(), "{refused}");
    assert_eq!(subjects(&env, &project, "main"), ["checks", "first"]);
    let by_agent = agent(&env, &["finish", "fix", "--yes", "--trust", "--keep"]);
    let id = super::shown(&env, "fix")["id"].as_str().unwrap().to_owned();
    let stderr = by_agent.env("SYMPOSIUM_AGENT_ID", &id).env("SYMPOSIUM_AGENT", "fix").fails(1).stderr;
    assert!(stderr.contains("cannot trust") && !marker.exists(), "{stderr}");
    finish(&env, &["fix", "--trust"]);
    assert!(marker.exists());
    fs::remove_file(&marker).unwrap();
    // The new content, which came with the work, needs a new consent; `--no-checks` needs none.
    agent(&env, &["spawn", "--name", "next", "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    fs::write(workspace(&env, "next").join("more"), "more\n").unwrap();
    agent(&env, &["finish", "next", "--yes"]).fails(1);
    finish(&env, &["next", "--no-checks"]);
    assert!(!env.root().join("marker.agent").exists() && !marker.exists());
    assert_eq!(git(&env, &project, &["show", "main:more"]), "more");
}

#[test]
fn printed_commands_are_quoted_and_the_identity_of_the_caller_is_used() {
    let env = finishing_repository();
    let project = env.project();
    git(&env, &project, &["config", "--unset", "user.name"]);
    git(&env, &project, &["config", "--unset", "user.email"]);
    git(&env, &project, &["checkout", "-q", "-b", "it's;$(x)"]);
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "src/lib.rs", "// mine\n");
    let refused = agent(&env, &["finish", "fix", "--yes"]).env("GIT_AUTHOR_NAME", "Ann");
    let refused = refused.env("GIT_AUTHOR_EMAIL", "ann@example.org").env("GIT_COMMITTER_NAME", "Bo");
    let refused = refused.env("GIT_COMMITTER_EMAIL", "bo@example.org").fails(1).stderr;
    let command =
        refused.split('`').find(|part| part.contains(" -- git merge ")).expect("a command").to_owned();
    let merge = command.split_once(" -- git merge ").expect("a branch").1;
    let words = env.program("sh", ["-c", &format!("printf '%s|' {merge}")]).ok().stdout;
    assert_eq!(words, "it's;$(x)|", "{refused}");
    git(&env, &project, &["reset", "-q", "--hard", "HEAD~1"]);
    git(&env, &project, &["checkout", "-q", "main"]);
    let done = agent(&env, &["finish", "fix", "--yes", "--json"]).env("GIT_AUTHOR_NAME", "Ann");
    let done = done.env("GIT_AUTHOR_EMAIL", "ann@example.org").env("GIT_COMMITTER_NAME", "Bo");
    let report = done.env("GIT_COMMITTER_EMAIL", "bo@example.org").ok().json();
    let shown = git(&env, &project, &["log", "-1", "--format=%an %ae %cn %ce", "it's;$(x)"]);
    assert_eq!(shown, "Ann ann@example.org Bo bo@example.org");
    let undo = report["steps"][0]["undo"].as_str().expect("a command");
    env.program("sh", ["-c", undo]).ok();
    assert_eq!(subjects(&env, &project, "it's;$(x)"), ["first"]);
    assert!(!project.join("x").exists());
}

/// Starts an agent with work and leaves the files of the project as a git that was killed during the update.
fn interrupted_update(env: &TestEnv) {
    let project = env.project();
    agent_with_work(env, "fix", &project);
    agent(env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", "finish.moving").fails(137);
    fs::write(project.join("one"), "one\n").unwrap();
    fs::write(project.join("two"), "t").unwrap();
    fs::remove_file(project.join("src/lib.rs")).unwrap();
}

#[test]
fn files_of_an_interrupted_update_are_completed_or_changed_back() {
    let env = finishing_repository();
    let project = env.project();
    let before = git(&env, &project, &["rev-parse", "main"]);
    interrupted_update(&env);
    let planned = agent(&env, &["finish", "fix", "--dry-run"]).fails(1).stderr;
    assert!(planned.contains("finishing agent `fix` was interrupted"), "{planned}");
    let planned = agent(&env, &["finish", "fix", "--pr", "--yes"]).fails(1).stderr;
    assert!(planned.contains("finishing agent `fix` was interrupted"), "{planned}");
    let unconfirmed = agent(&env, &["finish", "fix"]).fails(2).stderr;
    assert!(unconfirmed.contains("needs a confirmation"), "{unconfirmed}");
    assert!(unconfirmed.contains("1. complete the update of `main`"), "{unconfirmed}");
    assert!(unconfirmed.contains("`symposium agent finish --yes fix`"), "{unconfirmed}");
    // A file that is neither old nor new belongs to the user.
    fs::write(project.join("new"), "mine\n").unwrap();
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("`new` was changed in the meantime"), "{refused}");
    let aborted = agent(&env, &["finish", "fix", "--abort"]).ok().stderr;
    assert!(aborted.contains("`main` does not have the work of `fix`"), "{aborted}");
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "?? new");
    assert_eq!(fs::read_to_string(project.join("new")).unwrap(), "mine\n");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    fs::remove_file(project.join("new")).unwrap();
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
    agent(&env, &["rm", "fix"]).ok();
    git(&env, &project, &["reset", "-q", "--hard", &before]);
    // The next run completes it.
    interrupted_update(&env);
    agent(&env, &["finish", "fix", "--yes"]).ok();
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "");
    agent(&env, &["rm", "fix"]).ok();
    git(&env, &project, &["reset", "-q", "--hard", &before]);
    // The base branch has the work already.
    agent_with_work(&env, "fix", &project);
    agent(&env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", "finish.moved").fails(137);
    let refused = agent(&env, &["finish", "fix", "--abort"]).fails(1).stderr;
    assert!(refused.contains("`main` has the work of agent `fix` already"), "{refused}");
    agent(&env, &["finish", "fix", "--yes"]).ok();
    assert_finished(&env, &project, "fix", "main");
}

#[test]
fn a_git_that_is_killed_while_it_writes_files_changes_nothing() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    let before = git(&env, &project, &["rev-parse", "main"]);
    let real = env.root().join("tools/git");
    let kill = "printf 'on' > one; printf 'two\\n' > two; rm src/lib.rs; kill -9 $$";
    let script =
        format!("case \"$*\" in *read-tree\\ -m\\ -u*) {kill};; esac; exec {} \"$@\"", real.display());
    let fake = env.fake_program("git", &script);
    let failed = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(failed.contains("the base branch was not changed"), "{failed}");
    assert!(failed.contains("agent `fix` was ended"), "{failed}");
    assert!(failed.contains("`symposium agent resume fix`"), "{failed}");
    fs::remove_file(fake).unwrap();
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), "");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
}

#[test]
fn a_worktree_that_was_changed_half_for_the_checks_is_changed_back() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "other", "long content\n");
    fs::write(env.state().join("config.toml"), "[finish]\nchecks = [\"true\"]\n").unwrap();
    agent(&env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", "finish.bringing").fails(137);
    fs::write(workspace(&env, "fix").join("other"), "long").unwrap();
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["show", "main:other"]), "long content");
}
