//! Tests for worktrees of real repositories, including hostile ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::super::branches::Branches;
use super::super::submodules::Submodules;
use super::super::testing::Repository;
use super::super::unsaved_work::UnsavedWorkSearch;
use super::*;
use crate::model::{ChangeKind, WorktreeState};

fn with_a_commit() -> Repository {
    let repository = Repository::new();
    repository.write("a.txt", "1\n");
    repository.commit("first");
    repository
}

/// Creates a worktree at `at` on a new branch.
fn add(repository: &Repository, at: &Path, branch: &str) -> BranchPlan {
    let git = repository.ours().with_long_timeout();
    let plan = Worktrees(&git).plan_branch(&repository.top(), RequestedBranch::Own(branch), at).unwrap();
    Worktrees(&git).add(&repository.top(), &plan, at).unwrap();
    plan
}

fn at(repository: &Repository) -> PathBuf {
    repository.dir.path().canonicalize().unwrap().join("workspace")
}

#[test]
fn a_worktree_is_made_from_a_dirty_tree_and_leaves_it_alone() {
    let repository = with_a_commit();
    repository.write("a.txt", "dirty\n");
    let at = at(&repository);
    let plan = add(&repository, &at, "symposium/x");
    assert_eq!(plan, BranchPlan::New("symposium/x".into()));
    assert_eq!(fs::read_to_string(at.join("a.txt")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(repository.top().join("a.txt")).unwrap(), "dirty\n");
    assert_eq!(super::super::branch(&at).as_deref(), Some("symposium/x"));
    assert_eq!(super::super::repository(&at), repository.top().canonicalize().unwrap());
    let git = repository.ours();
    assert_eq!(
        UnsavedWorkSearch(&git).in_tree(&at, Some("symposium/x")).unwrap(),
        Some(WorktreeState::default())
    );
    Worktrees(&git).forget(&repository.top(), &at).unwrap();
    assert!(!at.exists());
    assert!(Branches(&git).delete_if_empty(&repository.top(), "symposium/x").unwrap());
    assert_eq!(git.commit(&repository.top(), "refs/heads/symposium/x").unwrap(), None);
}

#[test]
fn the_path_of_a_worktree_cannot_name_another_branch() {
    let repository = with_a_commit();
    let path = repository.dir.path().canonicalize().unwrap().join("a\nbranch refs/heads/main\n\nworktree ");
    repository.git(&["worktree", "add", "-q", "-b", "side", path.to_str().unwrap()]);
    let found = Worktrees(&repository.ours()).list(&repository.top()).unwrap();
    let top = repository.top().canonicalize().unwrap();
    assert_eq!(found, [(top, Some("main".to_owned())), (path, Some("side".to_owned()))]);
}

#[test]
fn unsaved_work_is_reported() {
    let repository = with_a_commit();
    let at = at(&repository);
    add(&repository, &at, "symposium/x");
    let git = repository.ours();
    let work = || UnsavedWorkSearch(&git).in_tree(&at, Some("symposium/x")).unwrap().unwrap();
    fs::write(at.join("a.txt"), "2\n").unwrap();
    fs::create_dir(at.join("new")).unwrap();
    fs::write(at.join("new/b"), "?").unwrap();
    let changed: Vec<_> = work().changed.into_iter().map(|file| (file.kind, file.path)).collect();
    assert_eq!(
        changed,
        [(ChangeKind::Modified, "a.txt".to_owned()), (ChangeKind::Untracked, "new/b".to_owned())]
    );
    repository.git_in(&at, &["stash", "-u", "-q"]);
    assert_eq!(work(), WorktreeState { stashes: 1, ..WorktreeState::default() });
    repository.git_in(&at, &["stash", "pop", "-q"]);
    repository.git_in(&at, &["add", "-A"]);
    repository.git_in(&at, &["commit", "-q", "-m", "work"]);
    assert_eq!(work(), WorktreeState { commits: 1, ..WorktreeState::default() });
    assert!(!Branches(&git).delete_if_empty(&repository.top(), "symposium/x").unwrap());
    // The same applies to a branch that the agent created itself, and to a detached HEAD.
    repository.git_in(&at, &["checkout", "-q", "-b", "its-own"]);
    repository.git_in(&at, &["commit", "-q", "--allow-empty", "-m", "more"]);
    assert_eq!(work().commits, 2);
    repository.git_in(&at, &["checkout", "-q", "--detach"]);
    repository.git_in(&at, &["commit", "-q", "--allow-empty", "-m", "loose"]);
    assert_eq!(work().commits, 1);
    // Commits that another branch or a remote has are not unsaved work.
    repository.git(&["branch", "other", &git.commit(&at, "HEAD").unwrap().unwrap()]);
    assert_eq!(work().commits, 0);
}

#[test]
fn branches_are_created_reused_or_tracked() {
    let repository = with_a_commit();
    let at = at(&repository);
    repository.git(&["branch", "feature"]);
    repository.git(&["update-ref", "refs/remotes/origin/theirs", "HEAD"]);
    let plan = |requested| Worktrees(&repository.ours()).plan_branch(&repository.top(), requested, &at);
    assert_eq!(plan(RequestedBranch::Named("feature")).unwrap(), BranchPlan::Existing("feature".into()));
    assert_eq!(plan(RequestedBranch::Named("fresh")).unwrap(), BranchPlan::New("fresh".into()));
    let follows = BranchPlan::Follow { branch: "theirs".into(), remote: "origin/theirs".into() };
    assert_eq!(plan(RequestedBranch::Named("theirs")).unwrap(), follows);
    assert!(matches!(plan(RequestedBranch::Named("main")), Err(WorktreeError::CheckedOut { .. })));
    for bad in ["", "-x", "a b", "a..b", "@{-1}", "a\nb", "x.lock", "$(id)~1"] {
        assert!(matches!(plan(RequestedBranch::Named(bad)), Err(WorktreeError::BadBranch(_))), "{bad:?}");
    }
    repository.git(&["branch", "symposium/x"]);
    assert_eq!(plan(RequestedBranch::Own("symposium/x")).unwrap(), BranchPlan::Reset("symposium/x".into()));
    repository.git(&["checkout", "-q", "symposium/x"]);
    repository.commit("own");
    repository.git(&["checkout", "-q", "main"]);
    assert!(matches!(
        plan(RequestedBranch::Own("symposium/x")),
        Err(WorktreeError::HasCommits { commits: 1, .. })
    ));
}

#[test]
fn impossible_worktrees_are_refused() {
    let repository = Repository::new();
    let at = at(&repository);
    let refusal = |dir: &Path| {
        Worktrees(&repository.ours()).plan_branch(dir, RequestedBranch::Own("x"), &at).unwrap_err()
    };
    assert!(matches!(refusal(&repository.top()), WorktreeError::NoCommit));
    assert!(matches!(refusal(repository.dir.path()), WorktreeError::NoRepository));
}

#[test]
fn incomplete_worktree_is_created_again() {
    let repository = with_a_commit();
    let at = at(&repository);
    add(&repository, &at, "symposium/x");
    fs::write(repository.top().join(".git/worktrees/workspace/locked"), "initializing").unwrap();
    fs::remove_dir_all(&at).unwrap();
    assert_eq!(add(&repository, &at, "symposium/x"), BranchPlan::Reset("symposium/x".into()));
    assert!(at.join("a.txt").exists());
}

#[test]
fn a_worktree_that_was_moved_is_found_again() {
    let repository = with_a_commit();
    let (old, new) = (at(&repository), at(&repository).with_file_name("moved"));
    add(&repository, &old, "symposium/x");
    fs::rename(&old, &new).unwrap();
    let git = repository.ours();
    Worktrees(&git).repair(&repository.top(), &new).unwrap();
    Worktrees(&git).forget(&repository.top(), &new).unwrap();
    assert!(!new.exists() && !repository.top().join(".git/worktrees/workspace").exists());
}

#[test]
fn submodules_are_filled_from_the_original_without_a_network() {
    let (inner, outer) = (with_a_commit(), with_a_commit());
    let url = inner.top();
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        url.to_str().unwrap(),
        "lib/sub",
    ]);
    outer.commit("with a submodule");
    let at = at(&outer);
    add(&outer, &at, "symposium/x");
    let git = outer.ours().with_long_timeout();
    fs::remove_dir_all(&url).unwrap();
    let full = CheckoutSize { entries: 1_000_000, ..CheckoutSize::default() };
    let (filled, remarks) = Submodules(&git).fill(&at, Some(full)).unwrap();
    assert!(filled.is_empty() && remarks[0].contains("it unpacks to more than"), "{remarks:?}");
    let (filled, remarks) = Submodules(&git).fill(&at, None).unwrap();
    assert_eq!((filled.len(), &filled[0].path, remarks.len()), (1, &PathBuf::from("lib/sub"), 0));
    assert_eq!(fs::read_to_string(at.join("lib/sub/a.txt")).unwrap(), "1\n");
    assert_eq!(
        UnsavedWorkSearch(&git).in_tree(&at, Some("symposium/x")).unwrap(),
        Some(WorktreeState::default())
    );
    outer.git_in(&at, &["submodule", "status"]);
    fs::write(at.join("lib/sub/a.txt"), "2\n").unwrap();
    assert_eq!(UnsavedWorkSearch(&git).in_tree(&at, None).unwrap().unwrap().changed[0].path, "lib/sub/a.txt");
    outer.git_in(&at.join("lib/sub"), &["commit", "-q", "-a", "-m", "inside"]);
    assert_eq!(UnsavedWorkSearch(&git).in_tree(&at, None).unwrap().unwrap().commits, 1);
    Submodules(&git).forget(&at, &filled[0]).unwrap();
    Worktrees(&git).forget(&outer.top(), &at).unwrap();
    assert!(!at.exists());
    assert_eq!(fs::read_to_string(outer.top().join("lib/sub/a.txt")).unwrap(), "1\n");
}

#[test]
fn a_submodule_outside_of_the_tree_is_skipped() {
    let repository = with_a_commit();
    repository.write(
        ".gitmodules",
        "[submodule \"../../x\"]\n\tpath = ../out\n\turl = x\n[submodule \"y\"]\n\tpath = /tmp\n",
    );
    repository.commit("hostile");
    let at = at(&repository);
    add(&repository, &at, "symposium/x");
    assert_eq!(Submodules(&repository.ours()).fill(&at, None).unwrap(), (vec![], vec![]));
}

#[test]
fn hostile_repository_runs_nothing_during_worktree_operations() {
    let repository = with_a_commit();
    let (top, mark) = (repository.top(), repository.dir.path().join("mark"));
    let evil = repository.dir.path().join("evil");
    fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexec cat\n", mark.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    repository.write(".gitattributes", "*.txt filter=x\n");
    repository.commit("attributes");
    let hooks = top.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"] {
        fs::copy(&evil, hooks.join(hook)).unwrap();
    }
    for key in ["core.fsmonitor", "filter.x.smudge", "filter.x.clean", "filter.x.process", "core.pager"] {
        repository.git(&["-c", "core.fsmonitor=false", "config", key, evil.to_str().unwrap()]);
    }
    let at = at(&repository);
    add(&repository, &at, "symposium/x");
    fs::write(at.join("a.txt"), "2\n").unwrap();
    let git = repository.ours();
    assert_eq!(UnsavedWorkSearch(&git).in_tree(&at, None).unwrap().unwrap().changed.len(), 1);
    Worktrees(&git).forget(&top, &at).unwrap();
    Branches(&git).delete_if_empty(&top, "symposium/x").unwrap();
    assert!(!mark.exists(), "it ran: {}", fs::read_to_string(&mark).unwrap());
}

/// Adds a program to a repository that appends to the returned mark file, and a filter for every file that runs it.
/// The filter is configured by a file that `.git/config` includes under a condition.
fn include_filter_if(repository: &Repository, git_dir: &Path, condition: &str) -> PathBuf {
    let mark = repository.dir.path().join("mark");
    let evil = repository.dir.path().join("evil");
    fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexec cat\n", mark.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let included = repository.dir.path().join("evil.cfg");
    let evil = evil.display();
    fs::write(&included, format!("[filter \"x\"]\n\tsmudge = {evil}\n\tprocess = {evil}\n")).unwrap();
    let config = git_dir.join("config");
    let include = format!("[includeIf \"{condition}\"]\n\tpath = {}\n", included.display());
    fs::write(&config, fs::read_to_string(&config).unwrap() + &include).unwrap();
    mark
}

#[test]
fn filters_of_conditional_includes_do_not_run_in_a_new_worktree() {
    for condition in ["onbranch:symposium/**", "onbranch:handoff/**", "gitdir:**/worktrees/**"] {
        let repository = with_a_commit();
        repository.write(".gitattributes", "* filter=x\n");
        repository.commit("attributes");
        let mark = include_filter_if(&repository, &repository.top().join(".git"), condition);
        let (git, top, at) = (repository.ours().with_long_timeout(), repository.top(), at(&repository));
        let commit = git.commit(&top, "HEAD").unwrap().unwrap();
        let plans =
            [BranchPlan::New("symposium/x".into()), BranchPlan::At { branch: "handoff/x".into(), commit }];
        for plan in plans {
            Worktrees(&git).add(&top, &plan, &at).unwrap();
            assert!(!mark.exists(), "{condition}: {plan:?} ran {:?}", fs::read_to_string(&mark));
            assert_eq!(fs::read_to_string(at.join("a.txt")).unwrap(), "1\n");
            Worktrees(&git).forget(&top, &at).unwrap();
            assert!(!mark.exists(), "{condition}: removing {plan:?} ran {:?}", fs::read_to_string(&mark));
        }
    }
}

#[test]
fn filters_of_conditional_includes_do_not_run_in_a_new_submodule() {
    let (inner, outer) = (with_a_commit(), with_a_commit());
    inner.write(".gitattributes", "* filter=x\n");
    inner.commit("attributes");
    let url = inner.top();
    let add_args =
        ["-c", "protocol.file.allow=always", "submodule", "add", "-q", url.to_str().unwrap(), "sub"];
    outer.git(&add_args);
    outer.commit("with a submodule");
    let own = outer.top().join(".git/modules/sub");
    let mark = include_filter_if(&outer, &own, "gitdir:**/worktrees/**");
    let at = at(&outer);
    add(&outer, &at, "symposium/x");
    let (filled, remarks) = Submodules(&outer.ours().with_long_timeout()).fill(&at, None).unwrap();
    assert!(!mark.exists(), "it ran: {:?}", fs::read_to_string(&mark));
    assert_eq!((filled.len(), remarks.len()), (1, 0));
}

#[test]
fn incomplete_entry_of_another_writer_is_waited_for() {
    let repository = with_a_commit();
    let half = repository.top().join(".git/worktrees/half");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("HEAD"), "ref: refs/heads/other\n").unwrap();
    fs::write(half.join("gitdir"), "/no/where/.git\n").unwrap();
    fs::write(half.join("commondir"), "").unwrap();
    let other = fs::File::open(repository.top().join(".git")).unwrap();
    other.lock().unwrap();
    let (git, top, at) = (repository.ours().with_long_timeout(), repository.top(), at(&repository));
    let (done, result) = std::sync::mpsc::channel();
    let make = std::thread::spawn(move || {
        let plan = BranchPlan::New("symposium/x".into());
        done.send(Worktrees(&git).add(&top, &plan, &at).map_err(|error| error.to_string())).unwrap();
    });
    let early = result.recv_timeout(std::time::Duration::from_millis(200));
    assert!(early.is_err(), "it did not wait: {early:?}");
    fs::remove_dir_all(half).unwrap();
    other.unlock().unwrap();
    assert_eq!(result.recv().unwrap(), Ok(()));
    make.join().unwrap();
}

#[test]
fn reserved_name_is_not_free() {
    let repository = with_a_commit();
    let (top, git) = (repository.top(), repository.ours());
    repository.git(&["tag", "v1"]);
    repository.git(&["update-ref", "refs/remotes/gone/main", "HEAD"]);
    repository.git(&["remote", "add", "theirs", "/nowhere"]);
    let head = git.commit(&top, "HEAD").unwrap().unwrap();
    let free = |name: &str| Branches(&git).free_name(&top, &[name.to_owned()]).unwrap().is_some();
    for name in ["main", "main/x", "v1", "gone/main", "theirs", "theirs/x", "heads/main", &head[..7], &head] {
        assert!(!free(name), "{name}");
    }
    for name in ["symposium/x", "feature/y", "theirs-x", "v2", "gone/other"] {
        assert!(free(name), "{name}");
    }
}

/// Returns whether a process waits for the lock of a file.
#[cfg(target_os = "linux")]
fn is_awaited(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = format!(":{} ", std::fs::metadata(file).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains("->") && line.contains(&inode))
}

#[cfg(target_os = "linux")]
#[test]
fn of_two_branches_with_the_same_commits_one_stays() {
    for is_stored in [false, true] {
        let r = Repository::new();
        r.commit("first");
        r.git(&["branch", "one"]);
        r.git(&["checkout", "-q", "one"]);
        r.commit("work");
        r.git(&["branch", "two"]);
        r.git(&["checkout", "-q", "main"]);
        let (git, top) = (r.ours(), r.top());
        let dropped = std::thread::scope(|scope| {
            let other = with_worktree_lock(&top, || {
                let other = scope.spawn(|| match is_stored {
                    true => Branches(&r.ours()).delete_if_stored(&r.top(), "one", "refs/no/"),
                    false => Branches(&r.ours()).delete_if_empty(&r.top(), "one"),
                });
                while !is_awaited(&top.join(".git")) {
                    std::thread::yield_now();
                }
                git.output(&top, &[], &["update-ref", "-d", "refs/heads/two"])?;
                Ok(other)
            })
            .unwrap();
            other.join().unwrap().unwrap()
        });
        assert!(!dropped && git.commit(&top, "refs/heads/one").unwrap().is_some());
    }
}
