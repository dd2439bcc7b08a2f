//! Tests that uncommitted changes are transferred unchanged, and that no patch writes outside of its tree.

use std::os::unix::fs::symlink;

use std::path::PathBuf;

use super::super::Patches;
use super::*;
use crate::git::testing::Repository;

fn status(repository: &Repository, dir: &Path) -> String {
    let output =
        repository.ours().output(dir, &[], &["status", "--porcelain=v1", "--untracked-files=all"]).unwrap();
    String::from_utf8_lossy(&output).into_owned()
}

fn patches(repository: &Repository, spared: &[String]) -> (PathBuf, PathBuf) {
    let scratch_dir = repository.dir.path();
    let (staged, unstaged) = (scratch_dir.join("staged"), scratch_dir.join("unstaged"));
    Patches(&repository.ours()).write(&repository.top(), spared, scratch_dir, [&staged, &unstaged]).unwrap();
    (staged, unstaged)
}

#[test]
fn uncommitted_changes_are_transferred_unchanged() {
    let repository = Repository::new();
    for (file, text) in
        [("staged", "1\n"), ("both", "1\n"), ("gone", "1\n"), ("plain", "1\n"), (".gitignore", "ignored\n")]
    {
        repository.write(file, text);
    }
    repository.commit("first");
    repository.git(&["worktree", "add", "-q", "--detach", "../w"]);
    repository.write("staged", "2\n");
    repository.write("both", "2\n");
    repository.write("added", "new\n");
    repository.git(&["add", "staged", "both", "added"]);
    repository.write("both", "3\n");
    repository.write("ignored", "x\n");
    repository.write("copied", "x\n");
    repository.write("ünknown file", "no end");
    fs::write(repository.top().join("binary"), [0u8, 159, 146, 150, 0, 1]).unwrap();
    fs::write(repository.top().join("empty"), "").unwrap();
    fs::remove_file(repository.top().join("gone")).unwrap();
    symlink("/etc/hostname", repository.top().join("link")).unwrap();
    let before = status(&repository, &repository.top());
    let (staged, unstaged) = patches(&repository, &[":(top,exclude,literal)copied".to_owned()]);
    assert_eq!(status(&repository, &repository.top()), before, "reading changes nothing");
    let at = repository.dir.path().join("w");
    Patches(&repository.ours()).apply(&at, &staged, ChangeStage::Staged).unwrap();
    Patches(&repository.ours()).apply(&at, &unstaged, ChangeStage::Unstaged).unwrap();
    assert_eq!(status(&repository, &at), before.replace("?? copied\n", ""));
    for file in ["staged", "both", "added", "binary", "empty", "ünknown file"] {
        assert_eq!(
            fs::read(at.join(file)).unwrap(),
            fs::read(repository.top().join(file)).unwrap(),
            "{file}"
        );
    }
    assert_eq!(fs::read_link(at.join("link")).unwrap(), Path::new("/etc/hostname"));
}

#[test]
fn a_change_in_the_instant_of_staging_is_not_missed() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.commit("first");
    // The change time (ctime) cannot be set explicitly.
    repository.git(&["config", "core.trustctime", "false"]);
    let index = fs::File::open(repository.top().join(".git/index")).unwrap();
    let instant = index.metadata().unwrap().modified().unwrap();
    repository.write("a", "2\n");
    let file = fs::OpenOptions::new().append(true).open(repository.top().join("a")).unwrap();
    file.set_modified(instant).unwrap();
    repository.git(&["add", "a"]);
    fs::OpenOptions::new()
        .append(true)
        .open(repository.top().join(".git/index"))
        .unwrap()
        .set_modified(instant)
        .unwrap();
    // With the same size and times, git considers the file unchanged.
    fs::write(repository.top().join("a"), "3\n").unwrap();
    file.set_modified(instant).unwrap();
    let (_, unstaged) = patches(&repository, &[]);
    assert!(fs::read_to_string(unstaged).unwrap().contains("+3"));
}

#[test]
fn a_clean_tree_has_no_patch() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.commit("first");
    let (staged, unstaged) = patches(&repository, &[]);
    assert!(!staged.exists() && !unstaged.exists());
}

#[test]
fn a_patch_cannot_leave_the_tree() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    symlink("../outside", repository.top().join("out")).unwrap();
    repository.commit("first");
    fs::create_dir(repository.dir.path().join("outside")).unwrap();
    let new = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n"
        )
    };
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../outside\n\\ No newline at end of file\n";
    for (name, text) in [
        ("git", new(".git/hooks/post-checkout")),
        ("Git", new(".GIT/config")),
        ("up", new("../outside/x")),
        ("absolute", new("/tmp/x")),
        ("through a link", new("out/x")),
        ("through its own link", format!("{link}{}", new("l/x"))),
    ] {
        let patch = repository.dir.path().join("evil");
        fs::write(&patch, text).unwrap();
        for stage in [ChangeStage::Staged, ChangeStage::Unstaged] {
            assert!(Patches(&repository.ours()).apply(&repository.top(), &patch, stage).is_err(), "{name}");
        }
    }
    assert_eq!(fs::read_dir(repository.dir.path().join("outside")).unwrap().count(), 0);
    assert_eq!(status(&repository, &repository.top()), "");
}

#[test]
fn merge_in_progress_is_reported() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.commit("first");
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write("a", "2\n");
    repository.commit("side");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("a", "3\n");
    repository.commit("main");
    repository.git(&["update-index", "--force-remove", "a"]);
    // Creates the index state of a conflicting merge without running a merge that fails.
    let output = repository.ours().output(&repository.top(), &[], &["rev-parse", "HEAD:a"]).unwrap();
    let blob = String::from_utf8_lossy(&output).trim().to_owned();
    let list = repository.dir.path().join("stages");
    fs::write(&list, format!("100644 {blob} 1\ta\n100644 {blob} 2\ta\n100644 {blob} 3\ta\n")).unwrap();
    let input = Some(fs::File::open(&list).unwrap());
    repository
        .ours()
        .output_with_input(
            &repository.top(),
            &[],
            &["update-index", "--index-info"],
            CommandInput { input, index: None },
        )
        .unwrap();
    let scratch_dir = repository.dir.path();
    let refused = Patches(&repository.ours()).write(
        &repository.top(),
        &[],
        scratch_dir,
        [&scratch_dir.join("s"), &scratch_dir.join("u")],
    );
    assert!(refused.unwrap_err().to_string().contains("a merge is under way"));
}

#[test]
fn file_replacing_a_directory_is_transferred_and_vice_versa() {
    let repository = Repository::new();
    for file in ["a", "d/1", "d/2", "e/x"] {
        repository.write(file, "1\n");
    }
    repository.commit("first");
    repository.git(&["worktree", "add", "-q", "--detach", "../w"]);
    let top = repository.top();
    fs::remove_file(top.join("a")).unwrap();
    repository.write("a/b/z", "new\n");
    fs::remove_dir_all(top.join("d")).unwrap();
    symlink("a", top.join("d")).unwrap();
    fs::remove_dir_all(top.join("e")).unwrap();
    repository.write("e", "a file\n");
    let before = status(&repository, &top);
    let (staged, unstaged) = patches(&repository, &[]);
    assert!(!staged.exists());
    let at = repository.dir.path().join("w");
    Patches(&repository.ours()).apply(&at, &unstaged, ChangeStage::Unstaged).unwrap();
    assert_eq!(status(&repository, &at), before);
    assert_eq!(fs::read_to_string(at.join("a/b/z")).unwrap(), "new\n");
    assert_eq!(fs::read_link(at.join("d")).unwrap(), Path::new("a"));
    assert_eq!(fs::read_to_string(at.join("e")).unwrap(), "a file\n");
}

#[test]
fn nested_repository_is_kept_and_reported() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.write(".gitignore", "ignored\n");
    repository.commit("first");
    repository.git(&["worktree", "add", "-q", "--detach", "../w"]);
    // A repository without a commit counts, too.
    for (dir, commits) in [("inner", true), ("new/deep", false), ("ignored", true)] {
        repository.git(&["init", "-q", dir]);
        repository.write(&format!("{dir}/x"), "theirs\n");
        if commits {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            repository
                .git(&[&["-C", dir][..], &identity, &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
        }
    }
    repository.write("new/plain", "ours\n");
    let scratch_dir = repository.dir.path();
    let (staged, unstaged) = (scratch_dir.join("staged"), scratch_dir.join("unstaged"));
    let mut apart =
        Patches(&repository.ours()).write(&repository.top(), &[], scratch_dir, [&staged, &unstaged]).unwrap();
    apart.sort();
    assert_eq!(apart, ["inner", "new/deep"]);
    let at = scratch_dir.join("w");
    Patches(&repository.ours()).apply(&at, &unstaged, ChangeStage::Unstaged).unwrap();
    assert_eq!(status(&repository, &at), "?? new/plain\n");
}

#[test]
fn changes_that_the_index_of_a_worktree_hides_are_transferred() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.write("b", "1\n");
    repository.commit("first");
    let at = |name: &str| repository.dir.path().join(name);
    for name in ["from", "to"] {
        repository.git(&["worktree", "add", "-q", "--detach", at(name).to_str().unwrap()]);
    }
    repository.git_in(&at("from"), &["update-index", "--assume-unchanged", "a"]);
    repository.git_in(&at("from"), &["update-index", "--skip-worktree", "b"]);
    fs::write(at("from/a"), "2\n").unwrap();
    fs::write(at("from/b"), "2\n").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let (staged, unstaged) = (scratch.path().join("s"), scratch.path().join("u"));
    Patches(&repository.ours()).write(&at("from"), &[], scratch.path(), [&staged, &unstaged]).unwrap();
    assert!(!staged.exists());
    Patches(&repository.ours()).apply(&at("to"), &unstaged, ChangeStage::Unstaged).unwrap();
    assert_eq!(status(&repository, &at("to")), " M a\n M b\n");
}
