//! Tests for transferring commits between real repositories, and for bundles that must be rejected.

use super::super::branches::Branches;
use super::super::history::History;
use super::super::worktree::Worktrees;
use super::*;
use crate::git::testing::Repository;
use crate::git::{BranchPlan, ChangeStage};

fn two() -> (Repository, Repository) {
    let (from, to) = (Repository::new(), Repository::new());
    from.write("a", "one\n");
    from.commit("first");
    from.write("a", "two\n");
    from.commit("second");
    (from, to)
}

fn head(repository: &Repository) -> String {
    repository.ours().commit(&repository.top(), "HEAD").unwrap().unwrap()
}

#[test]
fn commits_are_transferred_without_a_branch() {
    let (from, to) = two();
    let file = from.dir.path().join("b");
    let tip = Bundles(&from.ours()).write(&from.top(), &file).unwrap().unwrap();
    assert_eq!((tip.head.clone(), tip.roots.len(), tip.base.clone()), (head(&from), 1, None));
    to.commit("other");
    assert!(!History(&to.ours()).has_any(&to.top(), &tip.roots).unwrap());
    Bundles(&to.ours()).import_objects(&to.top(), &file, &tip.head).unwrap();
    assert!(History(&to.ours()).has_any(&to.top(), &tip.roots).unwrap());
    let refs = to.ours().output(&to.top(), &[], &["for-each-ref", "--format=%(refname)"]).unwrap();
    assert_eq!(String::from_utf8_lossy(&refs), "refs/heads/main\n");
    let plan = BranchPlan::At { branch: "handoff/a".into(), commit: tip.head.clone() };
    let at = to.dir.path().join("w");
    Worktrees(&to.ours()).add(&to.top(), &plan, &at).unwrap();
    assert_eq!(fs::read_to_string(at.join("a")).unwrap(), "two\n");
    let names =
        ["main".to_owned(), "handoff".to_owned(), "handoff/a".to_owned(), "x..y".to_owned(), "b".to_owned()];
    assert_eq!(Branches(&to.ours()).free_name(&to.top(), &names).unwrap().as_deref(), Some("b"));
}

#[test]
fn a_bundle_can_create_a_new_repository() {
    let (from, to) = two();
    let file = from.dir.path().join("b");
    let tip = Bundles(&from.ours()).write(&from.top(), &file).unwrap().unwrap();
    let fresh = to.dir.path().join("fresh");
    fs::create_dir(&fresh).unwrap();
    Bundles(&to.ours()).create_repository(&fresh, "fix/it", &tip.head).unwrap();
    Bundles(&to.ours()).import_objects(&fresh, &file, &tip.head).unwrap();
    Bundles(&to.ours()).create_first_branch(&fresh, "fix/it", &tip.head).unwrap();
    assert_eq!(fs::read_to_string(fresh.join("a")).unwrap(), "two\n");
    assert_eq!(crate::git::branch(&fresh).as_deref(), Some("fix/it"));
    let status = to.ours().output(&fresh, &[], &["status", "--porcelain"]).unwrap();
    assert!(status.is_empty(), "{}", String::from_utf8_lossy(&status));
}

#[test]
fn bundle_with_unexpected_refs_is_refused() {
    let (from, to) = two();
    let (good, bad) = (from.dir.path().join("b"), from.dir.path().join("bad"));
    let tip = Bundles(&from.ours()).write(&from.top(), &good).unwrap().unwrap();
    let bytes = fs::read(&good).unwrap();
    let (_, begin) = header(&good).unwrap();
    let (head, pack) = (&tip.head, &bytes[usize::try_from(begin).unwrap()..]);
    for text in [
        format!("# v2 git bundle\n{head} refs/heads/../../x\n\n"),
        format!("# v2 git bundle\n{head} HEAD\n{head} refs/heads/main\n\n"),
        format!("# v2 git bundle\n-{head} prerequisite\n{head} HEAD\n\n"),
        format!("# v3 git bundle\n@filter=blob:none\n{head} HEAD\n\n"),
        format!("# v4 git bundle\n{head} HEAD\n\n"),
        "# v2 git bundle\n--upload-pack=x HEAD\n\n".to_owned(),
        "# v2 git bundle\n\n".to_owned(),
        "# v2 git bundle".to_owned(),
        format!("# v2 git bundle\n{} HEAD\n\n", "1".repeat(40)),
        String::new(),
    ] {
        fs::write(&bad, [text.as_bytes(), pack].concat()).unwrap();
        assert!(Bundles(&to.ours()).import_objects(&to.top(), &bad, head).is_err(), "{text}");
    }
    for cut in [bytes.len() - 1, bytes.len() - 30, bytes.len() / 2 + 30] {
        fs::write(&bad, &bytes[..cut]).unwrap();
        assert!(Bundles(&to.ours()).import_objects(&to.top(), &bad, head).is_err(), "cut at {cut}");
    }
    let other = to.ours().commit(&to.top(), head).unwrap();
    assert_eq!(other, None, "nothing of it was taken");
}

#[test]
fn a_tree_that_would_write_into_git_is_not_checked_out() {
    let (from, to) = two();
    // Created with plumbing commands, because git refuses to commit such a tree.
    let blob = from.ours().output(&from.top(), &[], &["hash-object", "-w", "a"]).unwrap();
    let blob = String::from_utf8_lossy(&blob).trim().to_owned();
    let list = from.dir.path().join("tree");
    for name in [".git", "..", ".GIT"] {
        fs::write(&list, format!("100644 blob {blob}\t{name}\n")).unwrap();
        let input = Some(File::open(&list).unwrap());
        let tree = from
            .ours()
            .output_with_input(&from.top(), &[], &["mktree"], CommandInput { input, index: None })
            .unwrap();
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        from.git(&["update-ref", "refs/heads/main", &commit_tree(&from, &tree)]);
        let file = from.dir.path().join("evil");
        let tip = Bundles(&from.ours()).write(&from.top(), &file).unwrap().unwrap();
        let at = to.dir.path().join("w");
        let plan = BranchPlan::At { branch: "evil".into(), commit: tip.head.clone() };
        let taken = Bundles(&to.ours()).import_objects(&to.top(), &file, &tip.head);
        let made = taken.and_then(|()| Worktrees(&to.ours()).add(&to.top(), &plan, &at));
        assert!(made.is_err(), "{name}");
        let _ = Worktrees(&to.ours()).forget(&to.top(), &at);
        let _ = Branches(&to.ours()).delete_at(&to.top(), "evil", &tip.head);
    }
}

fn commit_tree(repository: &Repository, tree: &str) -> String {
    let identity = ["user.name=a".to_owned(), "user.email=a@example.org".to_owned()];
    let output =
        repository.ours().output(&repository.top(), &identity, &["commit-tree", "-m", "x", tree]).unwrap();
    String::from_utf8_lossy(&output).trim().to_owned()
}

#[test]
fn only_commits_on_no_remote_are_scanned() {
    let (from, _to) = two();
    from.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    from.write("b", "third\n");
    from.commit("third");
    let (log, bundle) = (from.dir.path().join("log"), from.dir.path().join("b"));
    let tip = Bundles(&from.ours()).write(&from.top(), &bundle).unwrap().unwrap();
    Bundles(&from.ours()).write_unpublished(&from.top(), &tip.head, &log).unwrap();
    let text = fs::read_to_string(log).unwrap();
    assert!(text.contains("+two") && text.contains("+third") && !text.contains("+one"), "{text}");
    assert_eq!(tip.base, from.ours().commit(&from.top(), "HEAD~2").unwrap());
    let _ = ChangeStage::Staged;
}

#[test]
fn a_sha256_repository_is_created_for_long_commit_ids() {
    let (from, fresh) = (Repository::new(), tempfile::tempdir().unwrap());
    fs::remove_dir_all(from.top().join(".git")).unwrap();
    from.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    from.write("a", "one\n");
    from.commit("first");
    let file = from.dir.path().join("b");
    let tip = Bundles(&from.ours()).write(&from.top(), &file).unwrap().unwrap();
    Bundles(&from.ours()).create_repository(fresh.path(), "main", &tip.head).unwrap();
    Bundles(&from.ours()).import_objects(fresh.path(), &file, &tip.head).unwrap();
    Bundles(&from.ours()).create_first_branch(fresh.path(), "main", &tip.head).unwrap();
    assert_eq!(fs::read_to_string(fresh.path().join("a")).unwrap(), "one\n");
}

#[test]
fn git_removes_old_packs_that_an_interrupted_import_left() {
    let (repository, _) = two();
    let packs = repository.top().join(".git/objects/pack");
    fs::create_dir_all(&packs).unwrap();
    let (old, new) = (packs.join("tmp_pack_old"), packs.join("tmp_pack_new"));
    let three_weeks = std::time::Duration::from_secs(21 * 24 * 3600);
    for file in [&old, &new] {
        fs::write(file, "PACK").unwrap();
    }
    let modified = fs::metadata(&old).unwrap().modified().unwrap() - three_weeks;
    File::options().write(true).open(&old).unwrap().set_modified(modified).unwrap();
    repository.git(&["gc", "--quiet"]);
    assert_eq!((old.exists(), new.exists()), (false, true));
}
