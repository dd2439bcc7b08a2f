//! Tests that uncommitted changes are transferred unchanged, and that no patch writes outside of its tree.

use std::os::unix::fs::symlink;

use std::path::PathBuf;

use super::*;
use crate::git::testing::Repository;

fn status(repository: &Repository, dir: &Path) -> String {
    let said =
        repository.ours().ask(dir, &[], &["status", "--porcelain=v1", "--untracked-files=all"]).unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

fn patches(repository: &Repository, spared: &[String]) -> (PathBuf, PathBuf) {
    let room = repository.dir.path();
    let (staged, unstaged) = (room.join("staged"), room.join("unstaged"));
    repository.ours().patches(&repository.top(), spared, room, [&staged, &unstaged]).unwrap();
    (staged, unstaged)
}

#[test]
fn everything_that_is_not_committed_comes_over_as_it_was() {
    let one = Repository::new();
    for (file, text) in
        [("staged", "1\n"), ("both", "1\n"), ("gone", "1\n"), ("plain", "1\n"), (".gitignore", "ignored\n")]
    {
        one.write(file, text);
    }
    one.commit("first");
    one.git(&["worktree", "add", "-q", "--detach", "../w"]);
    one.write("staged", "2\n");
    one.write("both", "2\n");
    one.write("added", "new\n");
    one.git(&["add", "staged", "both", "added"]);
    one.write("both", "3\n");
    one.write("ignored", "x\n");
    one.write("copied", "x\n");
    one.write("ünknown file", "no end");
    fs::write(one.top().join("binary"), [0u8, 159, 146, 150, 0, 1]).unwrap();
    fs::write(one.top().join("empty"), "").unwrap();
    fs::remove_file(one.top().join("gone")).unwrap();
    symlink("/etc/hostname", one.top().join("link")).unwrap();
    let before = status(&one, &one.top());
    let (staged, unstaged) = patches(&one, &[":(top,exclude,literal)copied".to_owned()]);
    assert_eq!(status(&one, &one.top()), before, "nothing is touched by looking");
    let at = one.dir.path().join("w");
    one.ours().apply(&at, &staged, Stage::Staged).unwrap();
    one.ours().apply(&at, &unstaged, Stage::Unstaged).unwrap();
    assert_eq!(status(&one, &at), before.replace("?? copied\n", ""));
    for file in ["staged", "both", "added", "binary", "empty", "ünknown file"] {
        assert_eq!(fs::read(at.join(file)).unwrap(), fs::read(one.top().join(file)).unwrap(), "{file}");
    }
    assert_eq!(fs::read_link(at.join("link")).unwrap(), Path::new("/etc/hostname"));
}

#[test]
fn a_change_in_the_instant_of_staging_is_not_missed() {
    let one = Repository::new();
    one.write("a", "1\n");
    one.commit("first");
    // The change time (ctime) cannot be set explicitly.
    one.git(&["config", "core.trustctime", "false"]);
    let index = fs::File::open(one.top().join(".git/index")).unwrap();
    let instant = index.metadata().unwrap().modified().unwrap();
    one.write("a", "2\n");
    let file = fs::OpenOptions::new().append(true).open(one.top().join("a")).unwrap();
    file.set_modified(instant).unwrap();
    one.git(&["add", "a"]);
    fs::OpenOptions::new()
        .append(true)
        .open(one.top().join(".git/index"))
        .unwrap()
        .set_modified(instant)
        .unwrap();
    // With the same size and times, git considers the file unchanged.
    fs::write(one.top().join("a"), "3\n").unwrap();
    file.set_modified(instant).unwrap();
    let (_, unstaged) = patches(&one, &[]);
    assert!(fs::read_to_string(unstaged).unwrap().contains("+3"));
}

#[test]
fn a_clean_tree_has_no_patch() {
    let one = Repository::new();
    one.write("a", "1\n");
    one.commit("first");
    let (staged, unstaged) = patches(&one, &[]);
    assert!(!staged.exists() && !unstaged.exists());
}

#[test]
fn a_patch_cannot_leave_the_tree() {
    let one = Repository::new();
    one.write("a", "1\n");
    symlink("../outside", one.top().join("out")).unwrap();
    one.commit("first");
    fs::create_dir(one.dir.path().join("outside")).unwrap();
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
        let patch = one.dir.path().join("evil");
        fs::write(&patch, text).unwrap();
        for stage in [Stage::Staged, Stage::Unstaged] {
            assert!(one.ours().apply(&one.top(), &patch, stage).is_err(), "{name}");
        }
    }
    assert_eq!(fs::read_dir(one.dir.path().join("outside")).unwrap().count(), 0);
    assert_eq!(status(&one, &one.top()), "");
}

#[test]
fn a_merge_that_is_under_way_is_told() {
    let one = Repository::new();
    one.write("a", "1\n");
    one.commit("first");
    one.git(&["checkout", "-q", "-b", "side"]);
    one.write("a", "2\n");
    one.commit("side");
    one.git(&["checkout", "-q", "main"]);
    one.write("a", "3\n");
    one.commit("main");
    one.git(&["update-index", "--force-remove", "a"]);
    // Creates the index state of a conflicting merge without running a merge that fails.
    let said = one.ours().ask(&one.top(), &[], &["rev-parse", "HEAD:a"]).unwrap();
    let blob = String::from_utf8_lossy(&said).trim().to_owned();
    let list = one.dir.path().join("stages");
    fs::write(&list, format!("100644 {blob} 1\ta\n100644 {blob} 2\ta\n100644 {blob} 3\ta\n")).unwrap();
    let input = Some(fs::File::open(&list).unwrap());
    one.ours()
        .ask_with(&one.top(), &[], &["update-index", "--index-info"], Also { input, index: None })
        .unwrap();
    let room = one.dir.path();
    let refused = one.ours().patches(&one.top(), &[], room, [&room.join("s"), &room.join("u")]);
    assert!(refused.unwrap_err().to_string().contains("a merge is under way"));
}

#[test]
fn a_file_in_the_place_of_a_directory_comes_over_and_the_other_way_round() {
    let one = Repository::new();
    for file in ["a", "d/1", "d/2", "e/x"] {
        one.write(file, "1\n");
    }
    one.commit("first");
    one.git(&["worktree", "add", "-q", "--detach", "../w"]);
    let top = one.top();
    fs::remove_file(top.join("a")).unwrap();
    one.write("a/b/z", "new\n");
    fs::remove_dir_all(top.join("d")).unwrap();
    symlink("a", top.join("d")).unwrap();
    fs::remove_dir_all(top.join("e")).unwrap();
    one.write("e", "a file\n");
    let before = status(&one, &top);
    let (staged, unstaged) = patches(&one, &[]);
    assert!(!staged.exists());
    let at = one.dir.path().join("w");
    one.ours().apply(&at, &unstaged, Stage::Unstaged).unwrap();
    assert_eq!(status(&one, &at), before);
    assert_eq!(fs::read_to_string(at.join("a/b/z")).unwrap(), "new\n");
    assert_eq!(fs::read_link(at.join("d")).unwrap(), Path::new("a"));
    assert_eq!(fs::read_to_string(at.join("e")).unwrap(), "a file\n");
}

#[test]
fn a_repository_below_stays_and_is_told() {
    let one = Repository::new();
    one.write("a", "1\n");
    one.write(".gitignore", "ignored\n");
    one.commit("first");
    one.git(&["worktree", "add", "-q", "--detach", "../w"]);
    // A repository without a commit counts, too.
    for (dir, commits) in [("inner", true), ("new/deep", false), ("ignored", true)] {
        one.git(&["init", "-q", dir]);
        one.write(&format!("{dir}/x"), "theirs\n");
        if commits {
            let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            one.git(&[&["-C", dir][..], &who, &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
        }
    }
    one.write("new/plain", "ours\n");
    let room = one.dir.path();
    let (staged, unstaged) = (room.join("staged"), room.join("unstaged"));
    let mut apart = one.ours().patches(&one.top(), &[], room, [&staged, &unstaged]).unwrap();
    apart.sort();
    assert_eq!(apart, ["inner", "new/deep"]);
    let at = room.join("w");
    one.ours().apply(&at, &unstaged, Stage::Unstaged).unwrap();
    assert_eq!(status(&one, &at), "?? new/plain\n");
}
