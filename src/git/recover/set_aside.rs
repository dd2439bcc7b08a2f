//! Commits that git set aside in a working tree, and that no branch has: the uncommitted changes from before a rebase or
//! merge that is in progress (`--autostash`), and refs that belong to this working tree alone. git deletes them with the
//! working tree.

use std::path::Path;

use super::super::command::{Git, GitError};
use super::super::git_dir;
use super::super::untrusted_file::read_short_file;

/// Files below the git directory of a working tree in which git notes the commit with changes from before an operation.
const AUTOSTASH_FILES: [&str; 3] = ["MERGE_AUTOSTASH", "rebase-apply/autostash", "rebase-merge/autostash"];

/// Prefixes of refs that each working tree has for itself.
const OWN_REFS: [&str; 3] = ["refs/bisect", "refs/rewritten", "refs/worktree"];

/// Finds the commits that git set aside in a working tree.
#[derive(Debug, Clone, Copy)]
pub struct SetAsideCommits<'a>(pub &'a Git);

impl SetAsideCommits<'_> {
    /// Returns the commits that git set aside in a working tree. The files and refs that name them are untrusted.
    pub fn list(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let Some(own) = git_dir(top) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for id in AUTOSTASH_FILES.iter().filter_map(|name| object_id(&own.join(name))) {
            found.extend(self.0.commit(top, &id)?);
        }
        // Most working trees have none, and then no process is started.
        if OWN_REFS.iter().any(|prefix| own.join(prefix).is_dir()) {
            let args = [&["for-each-ref", "--format=%(objectname) %(*objectname)"][..], &OWN_REFS].concat();
            for id in self.0.line(top, &args)?.split_whitespace() {
                found.extend(self.0.commit(top, id)?);
            }
        }
        Ok(found)
    }
}

/// Returns the object id in a file, or `None` if the file has anything else.
fn object_id(path: &Path) -> Option<String> {
    let text = read_short_file(path)?;
    let id = text.trim_end();
    let is_id = (40..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::testing::Repository;
    use super::super::super::unsaved_work::UnsavedWorkSearch;
    use super::*;

    /// A worktree whose rebase stopped, and in which git set a change of the file `b` aside.
    fn rebasing() -> (Repository, std::path::PathBuf) {
        let r = Repository::new();
        r.write("a", "1\n");
        r.write("b", "1\n");
        r.commit("first");
        let top = r.dir.path().join("w");
        r.git(&["worktree", "add", "-q", "-b", "work", top.to_str().unwrap()]);
        fs::write(top.join("b"), "precious\n").unwrap();
        r.git_in(&top, &["-c", "sequence.editor=echo break >", "rebase", "-q", "-i", "--autostash", "main"]);
        (r, top)
    }

    #[test]
    fn changes_that_a_rebase_set_aside_are_unsaved_work() {
        let (r, top) = rebasing();
        let git = r.ours();
        let [stash] = &SetAsideCommits(&git).list(&top).unwrap()[..] else { panic!("one commit") };
        let content = git.line(&top, &["cat-file", "blob", &format!("{stash}:b")]).unwrap();
        assert_eq!(content, "precious");
        let work = UnsavedWorkSearch(&git).in_tree(&top, Some("work")).unwrap().unwrap();
        assert!(work.changed.is_empty() && work.commits > 0, "{work:?}");
    }

    #[test]
    fn refs_of_a_worktree_are_unsaved_work() {
        let (r, top) = rebasing();
        r.git_in(&top, &["rebase", "--abort"]);
        let git = r.ours();
        assert!(SetAsideCommits(&git).list(&top).unwrap().is_empty());
        r.git_in(&top, &["checkout", "-q", "--detach"]);
        r.git_in(&top, &["commit", "-q", "-a", "-m", "kept"]);
        r.git_in(&top, &["update-ref", "refs/worktree/kept", "HEAD"]);
        r.git_in(&top, &["checkout", "-q", "work"]);
        assert_eq!(SetAsideCommits(&git).list(&top).unwrap().len(), 1);
        assert_eq!(UnsavedWorkSearch(&git).in_tree(&top, Some("work")).unwrap().unwrap().commits, 1);
    }

    #[test]
    fn files_without_an_object_id_are_ignored() {
        let (r, top) = rebasing();
        let file = git_dir(&top).unwrap().join("rebase-merge/autostash");
        for text in ["", "--help", "main", &"f".repeat(40)] {
            fs::write(&file, text).unwrap();
            assert_eq!(SetAsideCommits(&r.ours()).list(&top).unwrap(), [] as [&str; 0], "{text}");
        }
    }
}
