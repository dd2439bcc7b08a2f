//! Tests for recovery commits in real repositories.

use std::fs;

use super::super::testing::Repository;
use super::*;

const REFERENCE: &str = "refs/symposium/recovered/a-1";

fn plan<'a>(scratch: &'a Path, left_out: &'a [String]) -> RecoveryPlan<'a> {
    RecoveryPlan { reference: REFERENCE, subject: "work of a", left_out, scratch }
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
    let said = git.ask(&repository.top(), &[], &["show", &format!("{REFERENCE}:{path}")]).ok()?;
    Some(String::from_utf8(said).unwrap())
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
    let before = git.ask(&repository.top(), &[], &["status", "--porcelain"]).unwrap();
    let left_out = [":(top,exclude,literal).env".to_owned()];
    let stored = git.store_work(&repository.top(), plan(scratch.path(), &left_out)).unwrap();
    assert_eq!(stored, [repository.top().canonicalize().unwrap()]);
    assert_eq!(shown(&repository, "a.txt").unwrap(), "2\n");
    assert_eq!(shown(&repository, "dir/new.txt").unwrap(), "new\n");
    for absent in ["gone.txt", "ignored", ".env"] {
        assert_eq!(shown(&repository, absent), None, "{absent}");
    }
    assert_eq!(git.ask(&repository.top(), &[], &["status", "--porcelain"]).unwrap(), before);
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
    repository.ours().store_work(&repository.top(), plan(scratch.path(), &[])).unwrap();
    assert_eq!(shown(&repository, "a.txt").unwrap(), "2\n");
}

#[test]
fn a_clean_tree_gets_a_ref_only_for_commits_that_no_branch_has() {
    let (repository, scratch) = repository();
    let git = repository.ours();
    assert!(git.store_work(&repository.top(), plan(scratch.path(), &[])).unwrap().is_empty());
    repository.git(&["checkout", "-q", "--detach"]);
    repository.write("a.txt", "detached\n");
    repository.commit("on no branch");
    assert_eq!(git.store_work(&repository.top(), plan(scratch.path(), &[])).unwrap().len(), 1);
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
    assert_eq!(repository.ours().store_work(&repository.top(), plan(scratch.path(), &[])).unwrap().len(), 1);
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
    repository.ours().store_work(&repository.top(), plan(scratch.path(), &[])).unwrap_err();
}

#[test]
fn refs_are_deleted_once_they_are_old() {
    let (repository, scratch) = repository();
    repository.write("a.txt", "2\n");
    let git = repository.ours();
    git.store_work(&repository.top(), plan(scratch.path(), &[])).unwrap();
    let (past, future) = ("2020-01-01T00:00:00Z".parse().unwrap(), "2200-01-01T00:00:00Z".parse().unwrap());
    git.delete_refs_before(&repository.top(), "refs/symposium/recovered/", past).unwrap();
    assert!(shown(&repository, "a.txt").is_some());
    git.delete_refs_before(&repository.top(), "refs/symposium/recovered/", future).unwrap();
    assert!(shown(&repository, "a.txt").is_none());
}
