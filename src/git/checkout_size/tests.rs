//! Tests for small bundles that would expand beyond the limits, and for the computed size of ordinary ones.

use std::fs::{self, File};

use super::super::bundle::Bundles;
use super::super::uncommitted::Patches;
use super::*;
use crate::git::ChangeStage;
use crate::git::command::CommandInput;
use crate::git::testing::Repository;

fn ask(repository: &Repository, args: &[&str], input: &[u8]) -> String {
    let file = repository.dir.path().join("input");
    fs::write(&file, input).unwrap();
    let also = CommandInput { input: Some(File::open(file).unwrap()), index: None };
    let identity = ["user.name=a".to_owned(), "user.email=a@example.org".to_owned()];
    let result = repository
        .ours()
        .with_long_timeout()
        .output_with_input(&repository.top(), &identity, args, also)
        .unwrap();
    String::from_utf8_lossy(&result).trim().to_owned()
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
    let result = Bundles(&to.ours().with_long_timeout().with_memory_limit_of(memory)).import_objects(
        &to.top(),
        &bundle,
        &commit,
    );
    assert_eq!(ask(&to, &["for-each-ref"], b""), "");
    result
}

#[track_caller]
fn refused(from: &Repository, tree: &str, why: &str) {
    let result = taken(from, tree, MAX_BYTES).unwrap_err().to_string();
    assert_eq!(result, format!("git bundle failed: {why}"));
}

#[test]
fn a_tree_that_is_named_again_and_again_is_refused() {
    let from = Repository::new();
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], b"x");
    let empty = tree(&from, "", 0);
    for leaf in [format!("100644 blob {blob}"), format!("040000 tree {empty}")] {
        let bomb = (0..9).fold(leaf, |leaf, _| format!("040000 tree {}", tree(&from, &leaf, 10)));
        let top = bomb.split(' ').next_back().unwrap();
        refused(&from, top, "it unpacks to more than 1000000 files and directories");
    }
}

#[test]
fn a_long_file_that_is_named_often_is_refused() {
    let from = Repository::new();
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], &vec![0; 8 << 20]);
    let often = tree(&from, &format!("100644 blob {blob}"), 129);
    refused(&from, &often, "it unpacks to files of more than 1024 MiB");
    let less = tree(&from, &format!("100644 blob {blob}"), 128);
    taken(&from, &less, MAX_BYTES).unwrap();
}

#[test]
fn checkout_of_a_bundle_is_bounded_by_its_size() {
    for (bundle, bytes) in
        [(0, 1 << 30), (3_000_000, 1 << 30), (10 << 20, 2000 << 20), (1 << 30, 4 << 30), (u64::MAX, 4 << 30)]
    {
        assert_eq!(
            CheckoutSize::most_of(bundle),
            CheckoutSize { bytes, ..CheckoutSize::MAX_CHECKOUT },
            "{bundle}"
        );
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
    let result = taken(&from, &top, MAX_BYTES).unwrap_err().to_string();
    assert!(result.contains("names that are too long") || result.contains("tree depth"), "{result}");
}

#[test]
fn repeated_names_and_files_are_counted_each_time() {
    let from = Repository::new();
    fs::create_dir(from.top().join("dir")).unwrap();
    from.write("dir/file", "12345");
    from.write("b\nc", "12345");
    from.commit("first");
    let counted = |at: &str, there: CheckoutSize| {
        there.plus_checkout(&from.ours(), (&from.top(), at), CheckoutSize::MAX_CHECKOUT)
    };
    let all = counted("HEAD", CheckoutSize::default()).unwrap();
    assert_eq!(all, CheckoutSize { entries: 3, bytes: 10, names: 14 });
    assert_eq!(counted("HEAD", all).unwrap(), CheckoutSize { entries: 6, bytes: 20, names: 28 });
    for full in [
        CheckoutSize { entries: MAX_ENTRIES - 2, ..all },
        CheckoutSize { bytes: MAX_BYTES - 9, ..all },
        CheckoutSize { names: MAX_NAME_BYTES - 13, ..all },
    ] {
        assert!(counted("HEAD", full).is_err(), "{full:?}");
    }
    assert!(counted(&"1".repeat(40), all).is_err(), "a refusal by git is an error");
}

#[test]
fn decompression_in_memory_is_bounded() {
    let from = Repository::new();
    let long = vec![0; 48 << 20];
    let blob = ask(&from, &["hash-object", "-w", "--stdin"], &long);
    let top = tree(&from, &format!("100644 blob {blob}"), 1);
    let result = taken(&from, &top, 40 << 20).unwrap_err().to_string();
    assert!(result.contains("ut of memory"), "{result}");
    taken(&from, &top, MAX_BYTES).unwrap();
    let (to, patch) = (Repository::new(), from.dir.path().join("patch"));
    to.commit("first");
    fs::write(to.top().join("long"), long).unwrap();
    to.git(&["add", "long"]);
    let output = format!("--output={}", patch.display());
    to.git(&["diff", "--cached", "--binary", &output]);
    to.git(&["reset", "-q", "--hard"]);
    let git = to.ours().with_long_timeout();
    let result =
        Patches(&git.clone().with_memory_limit_of(40 << 20)).apply(&to.top(), &patch, ChangeStage::Unstaged);
    assert!(result.unwrap_err().to_string().contains("ut of memory"));
    assert!(!to.top().join("long").exists());
    Patches(&git).apply(&to.top(), &patch, ChangeStage::Unstaged).unwrap();
}
