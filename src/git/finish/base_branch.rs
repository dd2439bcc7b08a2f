//! Moves a branch to a commit that contains it.
//!
//! The files of the working tree that has it checked out change first and the ref last, so an interruption never leaves
//! a branch whose working tree would undo it.

use std::path::{Path, PathBuf};

use super::super::command::{Git, GitError};
use super::super::review::TreePair;
use super::super::submodules::INSIDE_GIT;
use crate::model::{ChangeKind, ChangedFile};

/// A working tree that has a branch checked out, or rebases it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    /// Root of the working tree.
    pub top: PathBuf,
    /// Changes of tracked files that are not committed.
    pub changed: Vec<ChangedFile>,
    /// Name of the operation that is in progress there.
    pub operation: Option<&'static str>,
}

/// The move of a branch from one commit to another one.
#[derive(Debug, Clone, Copy)]
pub struct BranchMove<'a> {
    /// Name of the branch.
    pub branch: &'a str,
    /// The commit that the branch must be at.
    pub from: &'a str,
    /// The commit that the branch moves to.
    pub to: &'a str,
}

impl Git {
    /// Returns the working trees that have a branch checked out. There are several after `git worktree add --force`.
    pub fn checked_out(&self, dir: &Path, branch: &str) -> Result<Vec<CheckedOut>, GitError> {
        let mut found = Vec::new();
        for (top, on) in self.worktrees(dir)? {
            let is_here = on.as_deref() == Some(branch) || self.is_rebasing(&top, branch);
            if !is_here || !top.is_dir() {
                continue;
            }
            let operation = self.operation_in_progress(&top);
            let mut changed = self.uncommitted(&top)?;
            changed.retain(|file| file.kind != ChangeKind::Untracked);
            found.push(CheckedOut { top, changed, operation });
        }
        Ok(found)
    }

    fn tree_entry(&self, top: &Path, tree: &str, path: &Path) -> Option<String> {
        let name = format!("{tree}:{}", path.display());
        self.line(top, &["rev-parse", "--verify", "--quiet", &name]).ok().filter(|id| !id.is_empty())
    }

    /// Returns the content of a file in a commit, or `None` if the commit does not have it.
    pub fn file_at(&self, dir: &Path, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        if self.tree_entry(dir, commit, Path::new(path)).is_none() {
            return Ok(None);
        }
        self.output(dir, &[], &["cat-file", "blob", &format!("{commit}:{path}")]).map(Some)
    }

    /// Moves a branch if it still is at the expected commit. The files of working trees stay as they are.
    pub fn move_branch(&self, dir: &Path, plan: BranchMove<'_>) -> Result<(), GitError> {
        let name = format!("refs/heads/{}", plan.branch);
        let args = ["update-ref", "--create-reflog", "-m", "symposium: finish", &name, plan.to, plan.from];
        self.output(dir, &[INSIDE_GIT.to_owned()], &args).map(drop)
    }

    /// Returns the commit of a local branch, or `None` if there is no such branch.
    pub fn branch_tip(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        // `main~1` names a commit and no branch.
        let is_expression =
            branch.contains(['~', '^', ':', '\\']) || branch.contains("..") || branch.contains("@{");
        if is_expression {
            return Ok(None);
        }
        self.commit(dir, &format!("refs/heads/{branch}"))
    }

    /// Returns the upstream of a branch, such as `origin/main`, and the number of commits that the branch lacks. This is
    /// the state of the last fetch.
    pub fn behind_upstream(&self, dir: &Path, branch: &str) -> Result<Option<(String, u64)>, GitError> {
        let format = "--format=%(upstream:short)";
        let name = format!("refs/heads/{branch}");
        let upstream = self.line(dir, &["for-each-ref", format, &name])?;
        if upstream.is_empty() || self.commit(dir, &upstream)?.is_none() {
            return Ok(None);
        }
        let count = self.count_between(dir, &name, &upstream)?;
        Ok(Some((upstream, count)))
    }

    /// Moves HEAD of a working tree, and the branch that it is on, if it still is at the expected commit. Index and files
    /// stay as they are.
    pub fn advance_head(&self, top: &Path, commits: TreePair<'_>) -> Result<(), GitError> {
        let args = ["update-ref", "-m", "symposium: finish", "HEAD", commits.to, commits.from];
        self.output(top, &[], &args).map(drop)
    }

    /// Updates the index of a working tree to a commit that has the content of its files.
    pub fn update_index(&self, top: &Path, commit: &str) -> Result<(), GitError> {
        // git refuses to replace a marked entry whose file has changed.
        self.clear_own_marks(top)?;
        // With `--reset`, files that a sparse checkout lacks stay marked. Otherwise they would count as deleted.
        self.output(top, &[], &["read-tree", "--reset", commit])?;
        let _ = self.output(top, &[], &["update-index", "-q", "--refresh"]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    fn repository() -> Repository {
        let r = Repository::new();
        r.write("a", "1\n");
        r.write("gone", "x\n");
        r.write(".gitignore", "ignored\n");
        r.commit("first");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.write("a", "2\n");
        r.write("dir/new", "new\n");
        std::fs::remove_file(r.top().join("gone")).unwrap();
        r.commit("second");
        r.git(&["checkout", "-q", "main"]);
        r
    }

    #[test]
    fn all_working_trees_that_have_a_branch_are_reported() {
        let r = repository();
        let second = r.dir.path().join("second");
        r.git(&["worktree", "add", "-q", "--force", &second.display().to_string(), "main"]);
        let tops = |branch: &str| {
            let trees = r.ours().checked_out(&r.top(), branch).unwrap();
            trees.into_iter().map(|tree| tree.top.canonicalize().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(tops("main"), [r.top().canonicalize().unwrap(), second.canonicalize().unwrap()]);
        assert!(tops("work").is_empty());
    }

    #[test]
    fn a_branch_moves_only_from_the_expected_commit() {
        let r = repository();
        let (git, top) = (r.ours(), r.top());
        let (main, work) =
            (git.branch_tip(&top, "main").unwrap().unwrap(), git.branch_tip(&top, "work").unwrap().unwrap());
        assert!(git.move_branch(&top, BranchMove { branch: "main", from: &work, to: &main }).is_err());
        git.move_branch(&top, BranchMove { branch: "main", from: &main, to: &work }).unwrap();
        assert_eq!(git.branch_tip(&top, "main").unwrap(), Some(work));
    }
}
