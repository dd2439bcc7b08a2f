//! Work that git does not report by itself survives `agent finish`, `discard`, `rm --force` and `sweep`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agent;
use super::workspace::{git, repository, workspace};
use crate::support::TestEnv;

/// Creates a repository whose commits have an author without an option.
fn project_with_author() -> TestEnv {
    let env = repository();
    git(&env, &env.project(), &["config", "user.name", "me"]);
    git(&env, &env.project(), &["config", "user.email", "me@example.org"]);
    env
}

/// Starts an agent in a worktree with one commit, which adds the file `one`.
#[track_caller]
fn agent_with_commit(env: &TestEnv, name: &str) -> PathBuf {
    agent(env, &["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    let at = workspace(env, name);
    commit(env, &at, "one");
    at
}

fn commit(env: &TestEnv, at: &Path, file: &str) {
    fs::write(at.join(file), format!("{file}\n")).unwrap();
    git(env, at, &["add", file]);
    git(env, at, &["commit", "-q", "-m", &format!("add {file}")]);
}

/// Adds a submodule whose repository is in the git directory of the worktree.
#[track_caller]
fn add_submodule(env: &TestEnv, at: &Path) -> PathBuf {
    let origin = env.root().join("library");
    fs::create_dir(&origin).unwrap();
    git(env, &origin, &["init", "-q", "-b", "main"]);
    commit(env, &origin, "lib");
    let from = origin.to_str().unwrap();
    git(env, at, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "library"]);
    git(env, at, &["commit", "-q", "-m", "add a submodule"]);
    at.join("library")
}

/// Discards an agent and returns its copy.
#[track_caller]
fn discarded(env: &TestEnv, name: &str) -> Value {
    agent(env, &["discard", name, "--yes"]).ok();
    agent(env, &["recover", name, "--json"]).ok().json()
}

/// Returns the directory of a copy that git could not store.
#[track_caller]
fn folder(copy: &Value) -> PathBuf {
    PathBuf::from(copy["folder"].as_str().unwrap_or_else(|| panic!("{copy}")))
}

#[test]
fn commits_on_no_branch_are_kept_with_a_directory() {
    let env = project_with_author();
    let at = agent_with_commit(&env, "fix");
    git(&env, &at, &["checkout", "-q", "--detach"]);
    commit(&env, &at, "detached");
    let id = git(&env, &at, &["rev-parse", "HEAD"]);
    // git cannot store another repository, so the directory is kept.
    git(&env, &at, &["init", "-q", "inner"]);
    commit(&env, &at.join("inner"), "inside");
    let copy = discarded(&env, "fix");
    assert!(folder(&copy).join("inner/inside").exists(), "{copy}");
    let branches = git(&env, &env.project(), &["branch", "--contains", &id, "--format=%(refname:short)"]);
    assert!(branches.starts_with("recovered/fix-"), "{branches}");
    assert_eq!(git(&env, &env.project(), &["show", &format!("{branches}:detached")]), "detached");
}

#[test]
fn a_repository_that_replaces_the_worktree_is_kept_as_a_directory() {
    let env = repository();
    for command in [&["discard", "--yes", "fix"][..], &["rm", "--force", "--yes", "fix"]] {
        let at = agent_with_commit(&env, "fix");
        fs::remove_file(at.join(".git")).unwrap();
        git(&env, &at, &["init", "-q", "-b", "own"]);
        commit(&env, &at, "mine");
        fs::write(at.join("more"), "more\n").unwrap();
        agent(&env, command).ok();
        let copy = agent(&env, &["recover", "fix", "--json"]).ok().json();
        let kept = folder(&copy);
        assert_eq!(git(&env, &kept, &["show", "own:mine"]), "mine");
        assert_eq!(fs::read_to_string(kept.join("more")).unwrap(), "more\n");
        // The copy has the files only, so the commits of the worktree stay on their branch.
        assert_eq!(git(&env, &env.project(), &["show", "symposium/fix:one"]), "one");
        git(&env, &env.project(), &["branch", "-q", "-D", "symposium/fix"]);
        fs::remove_dir_all(kept).unwrap();
    }
}

#[test]
fn a_repository_of_the_agent_is_kept_when_the_project_is_gone() {
    let env = repository();
    let project = env.root().join("gone");
    git(&env, &env.project(), &["clone", "-q", ".", project.to_str().unwrap()]);
    let spawn = ["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"];
    agent(&env, &spawn).current_dir(&project).ok();
    let at = workspace(&env, "fix");
    fs::remove_file(at.join(".git")).unwrap();
    git(&env, &at, &["init", "-q", "-b", "own"]);
    commit(&env, &at, "mine");
    fs::write(at.join("more"), "more\n").unwrap();
    fs::remove_dir_all(&project).unwrap();
    let kept = folder(&discarded(&env, "fix"));
    assert_eq!(git(&env, &kept, &["show", "own:mine"]), "mine");
    assert_eq!(fs::read_to_string(kept.join("more")).unwrap(), "more\n");
}

#[test]
fn the_repository_of_a_new_submodule_is_kept_with_its_commits() {
    let env = repository();
    let at = agent_with_commit(&env, "fix");
    let library = add_submodule(&env, &at);
    commit(&env, &library, "inside");
    git(&env, &at, &["commit", "-q", "-a", "-m", "use it"]);
    let kept = folder(&discarded(&env, "fix")).join("library");
    assert_eq!(git(&env, &kept, &["log", "--format=%s"]), "add inside\nadd lib");
    assert_eq!(git(&env, &kept, &["status", "--porcelain"]), "");
}

#[test]
fn finish_uses_the_directory_of_the_worktree() {
    let env = project_with_author();
    let project = env.project();
    git(&env, &project, &["config", "extensions.worktreeConfig", "true"]);
    let at = agent_with_commit(&env, "fix");
    fs::write(at.join("new"), "new\n").unwrap();
    let before = git(&env, &project, &["rev-parse", "main"]);
    let elsewhere = env.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("secret"), "secret\n").unwrap();
    git(&env, &at, &["config", "--worktree", "core.worktree", elsewhere.to_str().unwrap()]);
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("`core.worktree` makes git use another directory"), "{refused}");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    let changes = agent(&env, &["diff", "fix", "--name-only"]).ok().stdout;
    assert_eq!(changes.lines().collect::<Vec<_>>(), ["new", "one"]);
    // The configuration changes after the plan was made.
    let set = project.join(".git/worktrees/workspace/config.worktree");
    let text = fs::read(&set).unwrap();
    fs::remove_file(&set).unwrap();
    let run =
        agent(&env, &["finish", "fix", "--yes"]).env("SYMPOSIUM_FAILPOINT", "stop:finish.ended").start();
    env.wait_until("the run is stopped at the failpoint", || run.is_stopped());
    fs::write(&set, text).unwrap();
    run.go_on();
    let refused = run.finish().fails(1).stderr;
    assert!(refused.contains("`core.worktree` makes git use another directory"), "{refused}");
    assert_eq!(git(&env, &project, &["rev-parse", "main"]), before);
    assert_eq!(fs::read_to_string(at.join("new")).unwrap(), "new\n");
    // A link in place of the worktree.
    fs::remove_file(&set).unwrap();
    let moved = env.root().join("moved");
    fs::rename(&at, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &at).unwrap();
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("the worktree was replaced by something else"), "{refused}");
    agent(&env, &["discard", "fix", "--yes"]).ok();
    assert_eq!(fs::read_to_string(moved.join("new")).unwrap(), "new\n");
}

#[test]
fn changes_that_the_index_hides_are_work() {
    let env = project_with_author();
    let project = env.project();
    for (name, mark) in [("assumed", "--assume-unchanged"), ("skipped", "--skip-worktree")] {
        agent(&env, &["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"]).ok();
        let at = workspace(&env, name);
        git(&env, &at, &["update-index", mark, "src/lib.rs"]);
        let preview = agent(&env, &["discard", name, "--dry-run", "--json"]).ok().json();
        assert_eq!(preview["files"], serde_json::json!([]), "a mark is no change");
        fs::write(at.join("src/lib.rs"), format!("// {name}\n")).unwrap();
        agent(&env, &["kill", name]).ok();
        let swept = agent(&env, &["sweep", "--dry-run", "--json"]).ok().json();
        assert_eq!(
            (&swept["removed"], &swept["kept"][0]["reason"]),
            (&Value::Array(vec![]), &"1 uncommitted file".into())
        );
        agent(&env, &["rm", name]).fails(1);
        let copy = discarded(&env, name);
        let kept = format!("{}:src/lib.rs", copy["branch"].as_str().unwrap());
        assert_eq!(git(&env, &project, &["show", &kept]), format!("// {name}"));

        let at = agent_with_commit(&env, name);
        git(&env, &at, &["update-index", mark, "src/lib.rs"]);
        fs::write(at.join("src/lib.rs"), format!("// {name} again\n")).unwrap();
        agent(&env, &["finish", name, "--yes"]).ok();
        assert_eq!(git(&env, &project, &["show", "main:src/lib.rs"]), format!("// {name} again"));
        agent(&env, &["rm", name]).ok();
        git(&env, &project, &["rm", "-q", "one"]);
        git(&env, &project, &["commit", "-q", "-m", "remove one"]);
    }
}

#[test]
fn files_outside_of_a_sparse_checkout_are_no_deletions() {
    let env = project_with_author();
    let project = env.project();
    fs::create_dir(project.join("docs")).unwrap();
    commit(&env, &project, "docs/guide");
    commit(&env, &project, "docs/index");
    let at = agent_with_commit(&env, "fix");
    git(&env, &at, &["sparse-checkout", "set", "src"]);
    assert!(!at.join("docs").exists());
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    agent(&env, &["finish", "fix", "--yes", "--keep"]).ok();
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), "");
    // A file outside of the sparse checkout is changed all the same, and another one is new.
    fs::create_dir(at.join("docs")).unwrap();
    fs::write(at.join("docs/guide"), "changed\n").unwrap();
    fs::write(at.join("docs/new"), "new\n").unwrap();
    agent(&env, &["finish", "fix", "--yes"]).ok();
    let files = git(&env, &project, &["ls-tree", "-r", "--name-only", "main", "docs/"]);
    assert_eq!(files, "docs/guide\ndocs/index\ndocs/new");
    assert_eq!(git(&env, &project, &["show", "main:docs/guide"]), "changed");
}

#[test]
fn a_branch_with_commits_that_are_not_merged_stays() {
    let env = project_with_author();
    let project = env.project();
    let at = agent_with_commit(&env, "fix");
    let tip = git(&env, &at, &["rev-parse", "HEAD"]);
    git(&env, &at, &["checkout", "-q", "-b", "other", "main"]);
    commit(&env, &at, "two");
    let plan = agent(&env, &["finish", "fix", "--dry-run"]).ok();
    let text = format!("{}{}", plan.stdout, plan.stderr);
    assert!(text.contains("branch `symposium/fix` stays: 1 commit of it is not in this work"), "{text}");
    assert!(!text.contains("remove the branch"), "{text}");
    let report = agent(&env, &["finish", "fix", "--yes", "--json"]).ok().json();
    assert_eq!(git(&env, &project, &["rev-parse", "symposium/fix"]), tip);
    assert_eq!(git(&env, &project, &["show", "main:two"]), "two");
    let steps = report["steps"].as_array().unwrap().iter().map(|step| step["text"].as_str().unwrap());
    assert!(!steps.clone().any(|text| text.contains("branch `symposium/fix` is removed")), "{report}");
}

#[test]
fn uncommitted_changes_in_a_submodule_are_not_finished() {
    let env = project_with_author();
    let at = agent_with_commit(&env, "fix");
    let library = add_submodule(&env, &at);
    fs::write(library.join("lib"), "changed\n").unwrap();
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("a submodule of agent `fix` has uncommitted changes"), "{refused}");
    assert!(refused.contains("library/lib") && refused.contains("nothing was changed"), "{refused}");
    assert_eq!(fs::read_to_string(library.join("lib")).unwrap(), "changed\n");
}

#[test]
fn the_new_commit_of_a_submodule_is_shown_and_finished_once_it_is_saved() {
    let env = project_with_author();
    let at = agent_with_commit(&env, "fix");
    let library = add_submodule(&env, &at);
    agent(&env, &["finish", "fix", "--keep", "--yes"]).ok();
    commit(&env, &library, "more");
    fs::write(library.join("lib"), "changed\n").unwrap();
    let diff: Value = agent(&env, &["diff", "fix", "--json"]).ok().json();
    assert_eq!(diff["uncommitted"], serde_json::json!(["library"]), "{diff}");
    assert_eq!(
        diff["remarks"],
        serde_json::json!(["submodule `library` has 1 uncommitted file, not shown here"])
    );
    let list: Value = agent(&env, &["list", "--work", "--json"]).ok().json();
    assert_eq!(list[0]["work"]["merge"]["state"], "clean", "{list}");
    git(&env, &library, &["checkout", "-q", "lib"]);

    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("has commits that exist only in its worktree"), "{refused}");
    assert!(refused.contains("library") && refused.contains("nothing was changed"), "{refused}");
    git(&env, &library, &["push", "-q", "origin", "HEAD:refs/heads/fix"]);
    let moved = git(&env, &library, &["rev-parse", "HEAD"]);
    agent(&env, &["finish", "fix", "--yes"]).ok();
    assert_eq!(git(&env, &env.project(), &["rev-parse", "main:library"]), moved);
}

#[test]
fn commits_that_only_the_reflog_has_and_staged_versions_are_kept() {
    let env = project_with_author();
    let project = env.project();
    let at = agent_with_commit(&env, "fix");
    commit(&env, &at, "dropped");
    git(&env, &at, &["reset", "-q", "--hard", "HEAD~1"]);
    fs::write(at.join("src/lib.rs"), "// staged\n").unwrap();
    git(&env, &at, &["add", "-A"]);
    fs::write(at.join("src/lib.rs"), "// in the file\n").unwrap();
    let copy = discarded(&env, "fix");
    let branch = copy["branch"].as_str().unwrap();
    let log = git(&env, &project, &["log", "--format=%s", branch]);
    assert!(log.contains("add dropped") && log.contains("staged changes: work of agent fix"), "{log}");
    let search = git(&env, &project, &["log", "--format=", "-m", "-p", branch]);
    assert!(search.contains("+// staged") && search.contains("+// in the file"), "{search}");
    // A clean worktree has nothing else to keep.
    let at = agent_with_commit(&env, "clean");
    commit(&env, &at, "cleared");
    git(&env, &at, &["reset", "-q", "--hard", "HEAD~2"]);
    let copy = discarded(&env, "clean");
    let log = git(&env, &project, &["log", "--format=%s", copy["branch"].as_str().unwrap()]);
    assert!(log.contains("add cleared"), "{log}");
}
