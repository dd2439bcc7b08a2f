//! Checkpoints of real repositories.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::finish::OverwriteCheck;
use super::super::review::TreePair;
use super::super::testing::Repository;
use super::super::uncommitted::Index;
use super::*;
use crate::model::{Checkpoint, CheckpointNote};

const PREFIX: &str = "refs/symposium/checkpoints/test/";

fn take(r: &Repository, number: u64, scratch: &Path) -> Checkpoint {
    take_with(r, number, scratch, &[])
}

fn take_with(r: &Repository, number: u64, scratch: &Path, also: &[PathBuf]) -> Checkpoint {
    let git = r.ours().with_settings_of(&r.top()).unwrap();
    let (known, head) = CheckpointStore(&git).list_with_head(&r.top(), PREFIX).unwrap();
    let listing = Index(&git).list_changes(&r.top()).unwrap();
    let note = CheckpointNote { prompt: Some("fix\u{1f980}".into()), ..CheckpointNote::default() };
    let plan = CheckpointPlan {
        prefix: PREFIX,
        number,
        at: jiff::Timestamp::UNIX_EPOCH,
        note: &note,
        head: head.as_deref(),
        listing: &listing,
        newest: known.last(),
        expired: &[],
        left_out: &[],
        also,
        scratch,
    };
    CheckpointStore(&git).store(&r.top(), plan).unwrap()
}

fn status(r: &Repository) -> String {
    r.ours().line(&r.top(), &["status", "--porcelain", "--untracked-files=all"]).unwrap()
}

#[test]
fn staged_unstaged_and_untracked_files_come_back() {
    let r = Repository::new();
    for name in ["staged", "unstaged", "both", "deleted", "unchanged"] {
        r.write(name, "one\n");
    }
    r.commit("first");
    r.write("staged", "two\n");
    r.write("both", "two\n");
    r.git(&["add", "-A"]);
    r.write("both", "three\n");
    r.write("unstaged", "two\n");
    r.write("dir/untracked", "two\n");
    fs::remove_file(r.top().join("deleted")).unwrap();
    let before = (status(&r), fs::read(r.top().join(".git/HEAD")).unwrap());
    let index = fs::read(r.top().join(".git/index")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let first = take(&r, 1, scratch.path());
    assert_eq!(fs::read(r.top().join(".git/index")).unwrap(), index, "the index stays as it is");
    assert_eq!(take(&r, 2, scratch.path()).number, 1, "the same content is not stored twice");

    r.git(&["reset", "-q", "--hard"]);
    r.git(&["clean", "-fdq"]);
    r.write("new", "four\n");
    r.write("dir", "a file where a directory was\n");
    let second = take(&r, 2, scratch.path());
    let trees = TreePair { from: &second.tree, to: &first.tree };
    CheckpointStore(&r.ours()).restore_files(&r.top(), scratch.path(), trees).unwrap();
    CheckpointStore(&r.ours()).restore_index(&r.top(), first.note.index.as_ref().unwrap()).unwrap();
    assert_eq!((status(&r), fs::read(r.top().join(".git/HEAD")).unwrap()), before);
    assert_eq!(fs::read_to_string(r.top().join("both")).unwrap(), "three\n");
    assert_eq!(fs::read_to_string(r.top().join("dir/untracked")).unwrap(), "two\n");
    assert!(!r.top().join("new").exists() && !r.top().join("deleted").exists());

    let listed = CheckpointStore(&r.ours()).list(&r.top(), PREFIX).unwrap();
    assert_eq!(listed.iter().map(|checkpoint| checkpoint.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(listed[0].note.prompt.as_deref(), Some("fix\u{1f980}"));
    assert_eq!(listed[0].tree, first.tree);
    CheckpointStore(&r.ours()).delete(&r.top(), PREFIX, &[1, 2], scratch.path()).unwrap();
    assert!(CheckpointStore(&r.ours()).list(&r.top(), PREFIX).unwrap().is_empty());
}

#[test]
fn a_file_that_changed_after_the_checkpoint_is_not_overwritten() {
    let r = Repository::new();
    r.write("a", "one\n");
    r.write("b", "one\n");
    r.commit("first");
    let scratch = tempfile::tempdir().unwrap();
    let first = take(&r, 1, scratch.path());
    r.write("a", "two\n");
    r.write("b", "two\n");
    let second = take(&r, 2, scratch.path());
    r.write("b", "written in the meantime\n");
    let trees = TreePair { from: &second.tree, to: &first.tree };
    CheckpointStore(&r.ours()).restore_files(&r.top(), scratch.path(), trees).unwrap_err();
    assert_eq!(fs::read_to_string(r.top().join("a")).unwrap(), "two\n", "nothing was changed");
    assert_eq!(fs::read_to_string(r.top().join("b")).unwrap(), "written in the meantime\n");
}

#[test]
fn a_repository_without_commits_and_one_with_conflicts_have_checkpoints() {
    let r = Repository::new();
    r.write("a", "one\n");
    let scratch = tempfile::tempdir().unwrap();
    let first = take(&r, 1, scratch.path());
    assert_eq!(first.note.head, None);
    assert_eq!(Index(&r.ours()).list_changes(&r.top()).unwrap().changed, [("a".to_owned(), 4)]);
    r.commit("first");
    assert_eq!(tracked_files(&r.top()), 1);
    r.git(&["checkout", "-q", "-b", "other"]);
    r.write("a", "other\n");
    r.commit("other");
    r.git(&["checkout", "-q", "main"]);
    r.write("a", "main\n");
    r.commit("main");
    r.git(&["config", "user.name", "a"]);
    r.git(&["config", "user.email", "a@example.org"]);
    r.ours().line(&r.top(), &["merge", "other"]).unwrap_err();
    assert!(Index(&r.ours()).has_conflicts(&r.top()).unwrap());
    let second = take(&r, 2, scratch.path());
    assert_eq!(second.note.index, None);
    assert!(second.note.head.is_some());
}

#[test]
fn ignored_files_in_place_of_files_of_a_checkpoint_are_stored_before_they_are_overwritten() {
    let r = Repository::new();
    r.write("tracked", "1\n");
    r.write("dir/tracked", "1\n");
    r.commit("first");
    r.write("notes", "one\n");
    r.write("place", "a file\n");
    let scratch = tempfile::tempdir().unwrap();
    let first = take(&r, 1, scratch.path());
    fs::remove_file(r.top().join("place")).unwrap();
    // The index still has these two.
    fs::remove_file(r.top().join("tracked")).unwrap();
    fs::remove_dir_all(r.top().join("dir")).unwrap();
    for (path, text) in [
        (".gitignore", "notes\n*.log\ndir\n"),
        ("notes", "two\n"),
        ("place/a.log", "three\n"),
        ("tracked/b.log", "four\n"),
        ("dir", "five\n"),
    ] {
        r.write(path, text);
    }
    let occupied = OverwriteCheck(&r.ours()).untracked_in_place_of(&r.top(), &first.tree).unwrap();
    assert_eq!(occupied, ["dir", "notes", "place/a.log", "tracked/b.log"].map(Path::new));
    let second = take_with(&r, 2, scratch.path(), &occupied);
    let trees = TreePair { from: &second.tree, to: &first.tree };
    CheckpointStore(&r.ours()).restore_files(&r.top(), scratch.path(), trees).unwrap();
    assert_eq!(fs::read_to_string(r.top().join("place")).unwrap(), "a file\n");
    assert_eq!(fs::read_to_string(r.top().join("tracked")).unwrap(), "1\n");
    // The undo brings them back.
    let occupied = OverwriteCheck(&r.ours()).untracked_in_place_of(&r.top(), &second.tree).unwrap();
    let third = take_with(&r, 3, scratch.path(), &occupied);
    assert_eq!(third.tree, first.tree);
    let trees = TreePair { from: &third.tree, to: &second.tree };
    CheckpointStore(&r.ours()).restore_files(&r.top(), scratch.path(), trees).unwrap();
    assert_eq!(fs::read_to_string(r.top().join("notes")).unwrap(), "two\n");
    assert_eq!(fs::read_to_string(r.top().join("place/a.log")).unwrap(), "three\n");
    assert_eq!(fs::read_to_string(r.top().join("tracked/b.log")).unwrap(), "four\n");
    assert_eq!(fs::read_to_string(r.top().join("dir")).unwrap(), "five\n");
}
