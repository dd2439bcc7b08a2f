//! Tests for recovery commits in real repositories.

use std::fs;

use super::super::branches::Branches;
use super::super::git_dir;
use super::super::testing::Repository;
use super::super::uncommitted::WorkingTreeChanges;
use super::*;

const REFERENCE: &str = "refs/symposium/recovered/a-1";

fn plan<'a>(scratch: &'a Path, left_out: &'a [String]) -> RecoveryPlan<'a> {
    RecoveryPlan { reference: REFERENCE, subject: "work of a", left_out, branch: None, scratch }
}

fn repository() -> (Repository, tempfile::TempDir) {
    let repository = Repository::new();
    repository.write("a.txt", "1\n");
    repository.write("gone.txt", "1\n");
    repository.write(".gitignore", "ignored\n");
    repository.commit("first");
    (repository, tempfile::tempdir().unwrap())
}

fn shown(repository: &Repository, path: &str) -> Option<String> {
    let git = repository.ours();
    let output = git.output(&repository.top(), &[], &["show", &format!("{REFERENCE}:{path}")]).ok()?;
    Some(String::from_utf8(output).unwrap())
}

#[test]
fn changed_new_and_deleted_files_are_stored_and_nothing_else_changes() {
    let (repository, scratch) = repository();
    repository.write("a.txt", "2\n");
    repository.write("dir/new.txt", "new\n");
    repository.write("ignored", "x\n");
    repository.write(".env", "KEY=1\n");
    fs::remove_file(repository.top().join("gone.txt")).unwrap();
    let git = repository.ours();
    let before = git.output(&repository.top(), &[], &["status", "--porcelain"]).unwrap();
    let left_out = [":(top,exclude,literal).env".to_owned()];
    let stored =
        RecoveryCommits(&git).store_work(&repository.top(), plan(scratch.path(), &left_out)).unwrap();
    assert_eq!(stored, [repository.top().canonicalize().unwrap()]);
    assert_eq!(shown(&repository, "a.txt").unwrap(), "2\n");
    assert_eq!(shown(&repository, "dir/new.txt").unwrap(), "new\n");
    for absent in ["gone.txt", "ignored", ".env"] {
        assert_eq!(shown(&repository, absent), None, "{absent}");
    }
    assert_eq!(git.output(&repository.top(), &[], &["status", "--porcelain"]).unwrap(), before);
}

#[test]
fn a_change_in_the_second_of_the_checkout_is_stored() {
    let (repository, scratch) = repository();
    repository.git(&["config", "core.trustctime", "false"]);
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    let age = |path: &str| {
        let file = fs::OpenOptions::new().append(true).open(repository.top().join(path)).unwrap();
        file.set_modified(past).unwrap();
    };
    age("a.txt");
    repository.git(&["update-index", "--refresh"]);
    age(".git/index");
    repository.write("a.txt", "2\n");
    age("a.txt");
    RecoveryCommits(&repository.ours()).store_work(&repository.top(), plan(scratch.path(), &[])).unwrap();
    assert_eq!(shown(&repository, "a.txt").unwrap(), "2\n");
}

#[test]
fn a_clean_tree_gets_a_ref_only_for_commits_that_no_branch_has() {
    let (repository, scratch) = repository();
    let git = repository.ours();
    assert!(
        RecoveryCommits(&git).store_work(&repository.top(), plan(scratch.path(), &[])).unwrap().is_empty()
    );
    repository.git(&["checkout", "-q", "--detach"]);
    repository.write("a.txt", "detached\n");
    repository.commit("on no branch");
    assert_eq!(
        RecoveryCommits(&git).store_work(&repository.top(), plan(scratch.path(), &[])).unwrap().len(),
        1
    );
    assert_eq!(shown(&repository, "a.txt").unwrap(), "detached\n");
}

#[test]
fn hooks_filters_and_monitors_of_the_repository_do_not_run() {
    let (repository, scratch) = repository();
    let ran = repository.dir.path().join("ran");
    let touch = format!("touch {}; cat", ran.display());
    repository.git(&["config", "filter.x.clean", &touch]);
    repository.git(&["config", "core.fsmonitor", &touch]);
    repository.write(".gitattributes", "* filter=x\n");
    let hooks = repository.top().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-commit"] {
        let path = hooks.join(hook);
        fs::write(&path, format!("#!/bin/sh\ntouch {}\n", ran.display())).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    repository.write("a.txt", "2\n");
    assert_eq!(
        RecoveryCommits(&repository.ours())
            .store_work(&repository.top(), plan(scratch.path(), &[]))
            .unwrap()
            .len(),
        1
    );
    assert!(!ran.exists());
    assert_eq!(shown(&repository, "a.txt").unwrap(), "2\n");
}

#[test]
fn an_embedded_repository_cannot_be_stored() {
    let (repository, scratch) = repository();
    let inner = repository.top().join("inner");
    fs::create_dir(&inner).unwrap();
    repository.git_in(&inner, &["init", "-q"]);
    repository.git_in(&inner, &["commit", "-q", "--allow-empty", "-m", "x"]);
    RecoveryCommits(&repository.ours()).store_work(&repository.top(), plan(scratch.path(), &[])).unwrap_err();
}

#[test]
fn refs_are_deleted_once_they_are_old() {
    let (repository, scratch) = repository();
    repository.write("a.txt", "2\n");
    let git = repository.ours();
    RecoveryCommits(&git).store_work(&repository.top(), plan(scratch.path(), &[])).unwrap();
    let (past, future) = ("2020-01-01T00:00:00Z".parse().unwrap(), "2200-01-01T00:00:00Z".parse().unwrap());
    RecoveryCommits(&git).delete_before(&repository.top(), "refs/symposium/recovered/", past).unwrap();
    assert!(shown(&repository, "a.txt").is_some());
    RecoveryCommits(&git).delete_before(&repository.top(), "refs/symposium/recovered/", future).unwrap();
    assert!(shown(&repository, "a.txt").is_none());
}

#[test]
fn commits_of_a_deleted_branch_are_stored_without_changes_in_the_tree() {
    let (repository, scratch) = repository();
    let (git, top) = (repository.ours(), repository.top());
    repository.git(&["checkout", "-q", "-b", "work"]);
    repository.commit("second");
    repository.git(&["checkout", "-q", "main"]);
    assert!(RecoveryCommits(&git).store_work(&top, plan(scratch.path(), &[])).unwrap().is_empty());
    assert!(!Branches(&git).delete_if_stored(&top, "work", "refs/symposium/recovered/").unwrap());
    let with_branch = RecoveryPlan { branch: Some("work"), ..plan(scratch.path(), &[]) };
    assert_eq!(RecoveryCommits(&git).store_work(&top, with_branch).unwrap().len(), 1);
    assert!(Branches(&git).delete_if_stored(&top, "work", "refs/symposium/recovered/").unwrap());
    assert_eq!(git.commit(&top, "refs/heads/work").unwrap(), None);
    assert_eq!(git.line(&top, &["log", "-1", "--format=%s", &format!("{REFERENCE}^2")]).unwrap(), "second");
}

/// Adds a linked worktree and returns its path.
fn linked(repository: &Repository) -> PathBuf {
    repository.git(&["worktree", "add", "-q", "-b", "agent", "../w"]);
    repository.dir.path().canonicalize().unwrap().join("w")
}

#[test]
fn work_is_not_stored_in_a_repository_that_is_deleted_with_the_tree() {
    let (repository, scratch) = repository();
    let (git, at) = (repository.ours(), linked(&repository));
    let inner = at.join("inner");
    fs::create_dir(&inner).unwrap();
    repository.git_in(&inner, &["init", "-q", "-b", "main"]);
    repository.git_in(&inner, &["commit", "-q", "--allow-empty", "-m", "inside"]);
    fs::write(at.join(".gitmodules"), "[submodule \"inner\"]\n\tpath = inner\n\turl = ./inner\n").unwrap();
    repository.git_in(&at, &["add", ".gitmodules", "inner"]);
    repository.git_in(&at, &["commit", "-q", "-m", "a submodule"]);
    let error = RecoveryCommits(&git).store_work(&at, plan(scratch.path(), &[])).unwrap_err();
    assert!(error.to_string().contains("belongs to this worktree"), "a commit: {error}");
    fs::write(inner.join("new"), "new\n").unwrap();
    let error = RecoveryCommits(&git).store_work(&at, plan(scratch.path(), &[])).unwrap_err();
    assert!(error.to_string().contains("belongs to this worktree"), "a file: {error}");
}

#[test]
fn files_of_a_worktree_are_used_whatever_its_configuration_says() {
    let (repository, scratch) = repository();
    let (git, at) = (repository.ours(), linked(&repository));
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("secret"), "secret\n").unwrap();
    repository.git(&["config", "extensions.worktreeConfig", "true"]);
    let set = ["config", "--worktree", "core.worktree", elsewhere.path().to_str().unwrap()];
    repository.git_in(&at, &set);
    fs::write(at.join("new.txt"), "new\n").unwrap();
    let found: Vec<String> =
        WorkingTreeChanges(&git).list(&at).unwrap().into_iter().map(|file| file.path).collect();
    assert_eq!(found, ["new.txt"]);
    RecoveryCommits(&git).store_work(&at, plan(scratch.path(), &[])).unwrap();
    assert_eq!(shown(&repository, "new.txt").as_deref(), Some("new\n"));
    assert_eq!(shown(&repository, "secret"), None);
}

#[test]
fn files_that_the_index_hides_are_reported_and_stored() {
    let (repository, scratch) = repository();
    let (git, top) = (repository.ours(), linked(&repository));
    let changed = || -> Vec<String> {
        WorkingTreeChanges(&git).list_all(&top).unwrap().into_iter().map(|file| file.path).collect()
    };
    repository.git_in(&top, &["update-index", "--assume-unchanged", "a.txt"]);
    repository.git_in(&top, &["update-index", "--skip-worktree", "gone.txt", ".gitignore"]);
    assert!(changed().is_empty());
    fs::remove_file(top.join(".gitignore")).unwrap();
    assert!(changed().is_empty(), "a sparse checkout lacks files");
    fs::write(top.join("a.txt"), "2\n").unwrap();
    fs::write(top.join("gone.txt"), "2\n").unwrap();
    assert_eq!(changed(), ["a.txt", "gone.txt"]);
    RecoveryCommits(&git).store_work(&top, plan(scratch.path(), &[])).unwrap();
    assert_eq!(shown(&repository, "a.txt").as_deref(), Some("2\n"));
    assert_eq!(shown(&repository, "gone.txt").as_deref(), Some("2\n"));
    assert_eq!(shown(&repository, ".gitignore").as_deref(), Some("ignored\n"));
    let marks = git.line(&top, &["ls-files", "-v"]).unwrap();
    assert_eq!(marks, "S .gitignore\nh a.txt\nS gone.txt", "the index itself stays as it is");
}

#[test]
fn a_staged_version_and_commits_of_the_reflog_are_stored() {
    let (repository, scratch) = repository();
    let (git, at) = (repository.ours(), linked(&repository));
    for name in ["dropped", "amended"] {
        repository.git_in(&at, &["commit", "-q", "--allow-empty", "-m", name]);
        repository.git_in(&at, &["reset", "-q", "--hard", "HEAD~1"]);
    }
    fs::write(at.join("a.txt"), "staged\n").unwrap();
    repository.git_in(&at, &["add", "a.txt"]);
    fs::write(at.join("a.txt"), "file\n").unwrap();
    RecoveryCommits(&git).store_work(&at, plan(scratch.path(), &[])).unwrap();
    assert_eq!(shown(&repository, "a.txt").as_deref(), Some("file\n"));
    let parents = git.line(&at, &["log", "-1", "--format=%P", REFERENCE]).unwrap();
    let subject = |commit: &str| git.line(&at, &["log", "-1", "--format=%s", commit]).unwrap();
    let mut subjects: Vec<String> = parents.split(' ').map(subject).collect();
    subjects[2..].sort();
    assert_eq!(subjects, ["first", "staged changes: work of a", "amended", "dropped"]);
    let staged = git.line(&at, &["show", &format!("{REFERENCE}^2:a.txt")]).unwrap();
    assert_eq!(staged, "staged");
}

#[test]
fn staged_versions_are_stored_if_the_files_are_kept_elsewhere() {
    let (repository, scratch) = repository();
    let (git, at) = (repository.ours(), linked(&repository));
    let store = || RecoveryCommits(&git).store_without_files(&at, plan(scratch.path(), &[])).unwrap();
    assert!(!store(), "there is nothing to store");
    fs::write(at.join("a.txt"), "staged\n").unwrap();
    repository.git_in(&at, &["add", "a.txt"]);
    fs::write(at.join("a.txt"), "file\n").unwrap();
    assert!(store());
    assert_eq!(shown(&repository, "a.txt").as_deref(), Some("staged\n"));
    fs::write(git_dir(&at).unwrap().join("index"), "damaged").unwrap();
    assert!(!store(), "a damaged index has nothing to store");
}

#[test]
fn many_lines_of_history_in_the_reflog_are_all_stored() {
    let (repository, scratch) = repository();
    let (git, at) = (repository.ours(), linked(&repository));
    let commit = |number: usize| {
        let args = ["commit-tree", "-m", &number.to_string(), "-p", "main", "main^{tree}"];
        let output = git.output(&at, &IDENTITY.map(str::to_owned), &args).unwrap();
        String::from_utf8(output).unwrap().trim().to_owned()
    };
    let commits: Vec<String> = (0..MAX_PARENTS + 2).map(commit).collect();
    let log = git_dir(&at).unwrap().join("logs/HEAD");
    let entry = |id: &String| format!("{id} {id} a <a@example.org> 1700000000 +0000\treset\n");
    fs::write(log, commits.iter().map(entry).collect::<String>()).unwrap();
    RecoveryCommits(&git).store_work(&at, plan(scratch.path(), &[])).unwrap();
    let stored = git.line(&at, &["rev-list", REFERENCE]).unwrap();
    let lost = commits.iter().filter(|id| !stored.contains(*id)).count();
    assert_eq!(lost, 0);
}
