//! Moves a branch to a commit that contains it.
//!
//! The files of the working tree that has it checked out change first and the ref last, so an interruption never leaves
//! a branch whose working tree would undo it.

use std::path::{Path, PathBuf};

use super::super::branches::Branches;
use super::super::command::GitError;
use super::super::common_dir;
use super::super::history::History;
use super::super::submodules::INSIDE_GIT;
use super::super::uncommitted::WorkingTreeChanges;
use super::super::worktree::Worktrees;
use super::operation::{is_rebasing, operation_in_progress};
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

impl Branches<'_> {
    /// Returns the working trees that have a branch checked out. There are several after `git worktree add --force`. The
    /// list of git is untrusted: a directory that belongs to another repository is an error.
    pub fn checked_out(&self, dir: &Path, branch: &str) -> Result<Vec<CheckedOut>, GitError> {
        let mut found = Vec::new();
        for (top, on) in Worktrees(self.0).list(dir)? {
            let is_here = on.as_deref() == Some(branch) || is_rebasing(&top, branch);
            if !is_here || !top.is_dir() {
                continue;
            }
            // A bare repository has no directory `.git`.
            let own = common_dir(dir).or_else(|| dir.canonicalize().ok());
            let used = common_dir(&top);
            if used.is_none() || used != own {
                let top = top.display();
                return Err(GitError::Unverified(match used {
                    None => format!("the checkout of `{branch}` is unknown; set `core.worktree` in {top}"),
                    Some(_) => format!("`{branch}` is checked out in another repository: {top}"),
                }));
            }
            let operation = operation_in_progress(&top);
            let mut changed = WorkingTreeChanges(self.0).list(&top)?;
            changed.retain(|file| file.kind != ChangeKind::Untracked);
            found.push(CheckedOut { top, changed, operation });
        }
        Ok(found)
    }

    /// Moves a branch if it still is at the expected commit. The files of working trees stay as they are.
    pub fn move_tip(&self, dir: &Path, plan: BranchMove<'_>) -> Result<(), GitError> {
        let name = format!("refs/heads/{}", plan.branch);
        let args = ["update-ref", "--create-reflog", "-m", "symposium: finish", &name, plan.to, plan.from];
        self.0.output(dir, &[INSIDE_GIT.to_owned()], &args).map(drop)
    }

    /// Returns the commit of a local branch, or `None` if there is no such branch.
    pub fn tip(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        // `main~1` names a commit and no branch.
        let is_expression =
            branch.contains(['~', '^', ':', '\\']) || branch.contains("..") || branch.contains("@{");
        if is_expression {
            return Ok(None);
        }
        self.0.commit(dir, &format!("refs/heads/{branch}"))
    }

    /// Returns the upstream of a branch, such as `origin/main`, and the number of commits that the branch lacks. This is
    /// the state of the last fetch.
    pub fn behind_upstream(&self, dir: &Path, branch: &str) -> Result<Option<(String, u64)>, GitError> {
        let format = "--format=%(upstream:short)";
        let name = format!("refs/heads/{branch}");
        let upstream = self.0.line(dir, &["for-each-ref", format, &name])?;
        if upstream.is_empty() || self.0.commit(dir, &upstream)?.is_none() {
            return Ok(None);
        }
        let count = History(self.0).count_between(dir, &name, &upstream)?;
        Ok(Some((upstream, count)))
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
            let trees = Branches(&r.ours()).checked_out(&r.top(), branch).unwrap();
            trees.into_iter().map(|tree| tree.top.canonicalize().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(tops("main"), [r.top().canonicalize().unwrap(), second.canonicalize().unwrap()]);
        assert!(tops("work").is_empty());
    }

    #[test]
    fn a_directory_of_another_repository_is_not_a_checkout_of_the_branch() {
        let (r, other) = (repository(), repository());
        let second = r.dir.path().join("second");
        r.git(&["checkout", "-q", "--detach"]);
        r.git(&["worktree", "add", "-q", &second.display().to_string(), "main"]);
        assert_eq!(Branches(&r.ours()).checked_out(&r.top(), "main").unwrap().len(), 1);
        let named = other.top().join(".git").display().to_string();
        std::fs::write(r.top().join(".git/worktrees/second/gitdir"), named).unwrap();
        let why = Branches(&r.ours()).checked_out(&r.top(), "main").unwrap_err();
        assert!(why.to_string().contains("is checked out in another repository"), "{why}");
    }

    #[test]
    fn a_branch_of_a_submodule_is_checked_out_in_its_working_tree() {
        let (r, inner) = (repository(), repository());
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        r.git(&[&add[..], &[inner.top().to_str().unwrap(), "sub"]].concat());
        let (tree, sub) = (r.dir.path().join("tree"), r.top().join("sub"));
        r.git_in(&sub, &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
        let found = Branches(&r.ours()).checked_out(&tree, "main").unwrap();
        assert_eq!(found[0].top, sub.canonicalize().unwrap());
        let apart = r.dir.path().join("apart.git");
        r.git(&["init", "-q", "--separate-git-dir", apart.to_str().unwrap()]);
        let why = Branches(&r.ours()).checked_out(&r.top(), "main").unwrap_err();
        assert!(why.to_string().contains("set `core.worktree` in "), "{why}");
    }

    #[test]
    fn a_branch_in_a_bare_repository_is_checked_out_in_its_worktree() {
        let r = repository();
        let (bare, tree) = (r.dir.path().join("bare.git"), r.dir.path().join("tree"));
        r.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        r.git_in(&bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "main"]);
        let found = Branches(&r.ours()).checked_out(&bare, "main").unwrap();
        assert_eq!(found[0].top.canonicalize().unwrap(), tree.canonicalize().unwrap());
    }

    #[test]
    fn a_branch_moves_only_from_the_expected_commit() {
        let r = repository();
        let (git, top) = (r.ours(), r.top());
        let (main, work) = (
            Branches(&git).tip(&top, "main").unwrap().unwrap(),
            Branches(&git).tip(&top, "work").unwrap().unwrap(),
        );
        assert!(
            Branches(&git).move_tip(&top, BranchMove { branch: "main", from: &work, to: &main }).is_err()
        );
        Branches(&git).move_tip(&top, BranchMove { branch: "main", from: &main, to: &work }).unwrap();
        assert_eq!(Branches(&git).tip(&top, "main").unwrap(), Some(work));
    }
}
