//! Tests for small bundles that would expand beyond the limits, and for the computed size of ordinary ones.

use std::fs::{self, File};

use super::*;
use crate::git::Stage;
use crate::git::command::Also;
use crate::git::testing::Repository;

fn ask(repository: &Repository, args: &[&str], input: &[u8]) -> String {
    let file = repository.dir.path().join("input");
    fs::write(&file, input).unwrap();
    let also = Also { input: Some(File::open(file).unwrap()), index: None };
    let who = ["user.name=a".to_owned(), "user.email=a@example.org".to_owned()];
    let said = repository.ours().patient().ask_with(&repository.top(), &who, args, also).unwrap();
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// Creates a tree that contains the same object under this many names.
fn tree(repository: &Repository, what: &str, names: usize) -> String {
    let list: String = (0..names).map(|n| format!("{what}\t{n:03}\n")).collect();
    ask(repository, &["mktree"], list.as_bytes())
}

/// Imports this tree into another repository with a memory limit and returns the result.
fn taken(from: &Repository, tree: &str, memory: u64) -> Result<(), GitError> {
    let commit = ask(from, &["commit-tree", "-m", "x", tree], b"");
    from.git(&["update-ref", "refs/heads/main", &commit]);
    let (to, bundle) = (Repository::new(), from.dir.path().join("bundle"));
    from.git(&["bundle", "create", "-q", bundle.to_str().unwrap(), "HEAD"]);
    let said = to.ours().patient().in_memory_of(memory).take_bundle(&to.top(), &bundle, &commit);
    assert_eq!(ask(&to, &["for-each-ref"], b""), "");
    said
}

#[track_caller]
fn refused(from: &Repository, tree: &str, why: &str) {
    let said = taken(from, tree, MOST_BYTES).unwrap_err().to_string();
    assert_eq!(said, format!("git bundle failed: {why}"));
}

#[test]
fn a_tree_that_is_named_again_and_again_is_refused() {
    let from = Repository::new();
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], b"x");
    let empty = tree(&from, "", 0);
    for leaf in [format!("100644 blob {blob}"), format!("040000 tree {empty}")] {
        let bomb = (0..9).fold(leaf, |leaf, _| format!("040000 tree {}", tree(&from, &leaf, 10)));
        let top = bomb.split(' ').next_back().unwrap();
        refused(&from, top, "it unfolds to more than 1000000 files and directories");
    }
}

#[test]
fn a_long_file_that_is_named_often_is_refused() {
    let from = Repository::new();
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], &vec![0; 50 << 20]);
    let often = tree(&from, &format!("100644 blob {blob}"), 21);
    refused(&from, &often, "it unfolds to files of more than 1024 MiB");
    let less = tree(&from, &format!("100644 blob {blob}"), 20);
    taken(&from, &less, MOST_BYTES).unwrap();
}

#[test]
fn a_bundle_may_unfold_to_so_many_times_its_own_size() {
    for (bundle, bytes) in
        [(0, 1 << 30), (3_000_000, 1 << 30), (10 << 20, 2000 << 20), (1 << 30, 4 << 30), (u64::MAX, 4 << 30)]
    {
        assert_eq!(Unfolded::most_of(bundle), Unfolded { bytes, ..Unfolded::MOST }, "{bundle}");
    }
}

#[test]
fn a_tree_that_is_too_deep_is_refused() {
    let from = Repository::new();
    // The untrusted repository has been configured to allow such a depth.
    from.git(&["config", "core.maxTreeDepth", "100000"]);
    let path = "a/".repeat(5000);
    let import = format!(
        "commit refs/heads/deep\ncommitter a <a@example.org> 0 +0000\ndata 1\nx\nM 644 inline {path}f\ndata 1\nx\n"
    );
    ask(&from, &["fast-import", "--quiet"], import.as_bytes());
    let top = ask(&from, &["rev-parse", "deep^{tree}"], b"");
    let said = taken(&from, &top, MOST_BYTES).unwrap_err().to_string();
    assert!(said.contains("names that are too long") || said.contains("tree depth"), "{said}");
}

#[test]
fn names_and_files_are_counted_as_often_as_they_are_there() {
    let from = Repository::new();
    fs::create_dir(from.top().join("dir")).unwrap();
    from.write("dir/file", "12345");
    from.write("b\nc", "12345");
    from.commit("first");
    let counted = |at: &str, there| from.ours().unfolded(&from.top(), at, (there, Unfolded::MOST));
    let all = counted("HEAD", Unfolded::default()).unwrap();
    assert_eq!(all, Unfolded { entries: 3, bytes: 10, names: 14 });
    assert_eq!(counted("HEAD", all).unwrap(), Unfolded { entries: 6, bytes: 20, names: 28 });
    for full in [
        Unfolded { entries: MOST_ENTRIES - 2, ..all },
        Unfolded { bytes: MOST_BYTES - 9, ..all },
        Unfolded { names: MOST_NAMES - 13, ..all },
    ] {
        assert!(counted("HEAD", full).is_err(), "{full:?}");
    }
    assert!(counted(&"1".repeat(40), all).is_err(), "git's own refusal is one");
}

#[test]
fn what_unfolds_in_memory_is_bounded() {
    let from = Repository::new();
    let long = vec![0; 48 << 20];
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], &long);
    let top = tree(&from, &format!("100644 blob {blob}"), 1);
    let said = taken(&from, &top, 40 << 20).unwrap_err().to_string();
    assert!(said.contains("ut of memory"), "{said}");
    taken(&from, &top, MOST_BYTES).unwrap();
    let (to, patch) = (Repository::new(), from.dir.path().join("patch"));
    to.commit("first");
    fs::write(to.top().join("long"), long).unwrap();
    to.git(&["add", "long"]);
    let output = format!("--output={}", patch.display());
    to.git(&["diff", "--cached", "--binary", &output]);
    to.git(&["reset", "-q", "--hard"]);
    let git = to.ours().patient();
    let said = git.clone().in_memory_of(40 << 20).apply(&to.top(), &patch, Stage::Unstaged);
    assert!(said.unwrap_err().to_string().contains("ut of memory"));
    assert!(!to.top().join("long").exists());
    git.apply(&to.top(), &patch, Stage::Unstaged).unwrap();
}
