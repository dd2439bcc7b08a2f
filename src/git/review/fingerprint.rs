//! A fingerprint of everything that the summary of a working tree depends on. Equal fingerprints allow a list to show
//! an earlier result without asking git again.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::super::command::{Git, GitError};
use super::super::untrusted_file::read_short_file;
use super::super::{common_dir, git_dir};
use crate::model::ChangedFile;

/// Refs that the position of a branch and its unsaved commits depend on.
const COMPARED_REFS: [&str; 3] = ["refs/heads", "refs/remotes", "refs/stash"];

/// Returns a fingerprint of the branches, remote branches and stashes of a repository, which all of its worktrees share.
pub fn refs_fingerprint(git: &Git, top: &Path) -> Result<String, GitError> {
    let format = "--format=%(objectname) %(refname) %(symref) %(upstream)";
    let args = [&["for-each-ref", format][..], &COMPARED_REFS].concat();
    Ok(digest(&git.output(top, &[], &args)?))
}

/// Returns a fingerprint of a working tree: HEAD, the index, the configuration, and the changed files with their times.
/// Reads no file content and starts no process. Returns `None` outside of a repository.
pub fn tree_fingerprint(top: &Path, changed: &[ChangedFile]) -> Option<String> {
    let (own, common) = (git_dir(top)?, common_dir(top)?);
    let mut text = format!("{}\0{}\0", own.display(), read_short_file(&own.join("HEAD"))?);
    for file in ["index", "config.worktree"] {
        text.push_str(&stamp(&own.join(file)));
    }
    for file in ["config", "logs/refs/stash", "info/attributes"] {
        text.push_str(&stamp(&common.join(file)));
    }
    for file in changed {
        let _ = write!(text, "{:?} {}\0{}", file.kind, file.path, stamp(&top.join(&file.path)));
    }
    Some(digest(text.as_bytes()))
}

/// Returns the identity, size and times of a file. The change time differs after each write, also within one tick of
/// the modification time that a program sets.
fn stamp(path: &Path) -> String {
    match fs::symlink_metadata(path) {
        Ok(meta) => format!(
            "{} {} {}.{} {}.{}\0",
            meta.ino(),
            meta.size(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec()
        ),
        Err(_) => "-\0".to_owned(),
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;
    use crate::model::ChangeKind;

    #[test]
    fn each_change_of_a_tree_changes_its_fingerprint() {
        let r = Repository::new();
        r.write("a", "1\n");
        r.commit("first");
        let changed = || vec![ChangedFile { kind: ChangeKind::Modified, path: "a".into() }];
        let now = || (tree_fingerprint(&r.top(), &changed()), refs_fingerprint(&r.ours(), &r.top()).unwrap());
        let mut seen = vec![now()];
        assert_eq!(now(), seen[0]);
        for change in [
            &|| r.write("a", "22\n"),
            &|| r.git(&["add", "a"]),
            &|| r.git(&["config", "merge.x.driver", "true"]),
            &|| r.git(&["checkout", "-q", "-b", "other"]),
            &|| r.git(&["branch", "third"]),
            &|| r.git(&["stash", "-q"]),
        ] as [&dyn Fn(); 6]
        {
            change();
            let found = now();
            assert!(!seen.contains(&found), "{seen:?}");
            seen.push(found);
        }
        let deleted = vec![ChangedFile { kind: ChangeKind::Deleted, path: "a".into() }];
        assert_ne!(tree_fingerprint(&r.top(), &deleted), tree_fingerprint(&r.top(), &changed()));
        assert_eq!(tree_fingerprint(r.dir.path(), &[]), None);
    }
}
