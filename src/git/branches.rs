//! Branches: their names, their deletion, and those without a worktree. A branch with commits of its own is never deleted.

use std::path::Path;

use super::command::{Git, GitError};
use super::history::History;
use super::merged::UnusedBranch;
use super::submodules::INSIDE_GIT;
use super::unsaved_work::UPSTREAM;
use super::worktree::{WorktreeError, Worktrees, with_worktree_lock};
use super::{BRANCH_ELSEWHERE, branch_in_head_file};

/// Reads, creates, moves and deletes branches.
#[derive(Debug, Clone, Copy)]
pub struct Branches<'a>(pub &'a Git);

impl Branches<'_> {
    /// Returns the branches below a prefix that no worktree has checked out.
    pub fn unused(&self, repository: &Path, prefix: &str) -> Result<Vec<UnusedBranch>, GitError> {
        let format = "--format=%(refname) %(objectname) %(worktreepath)";
        let below = format!("refs/heads/{prefix}");
        let args = ["for-each-ref", format, &below];
        let output =
            with_worktree_lock(repository, || self.0.output(repository, &[INSIDE_GIT.to_owned()], &args))?;
        let text = String::from_utf8_lossy(&output);
        let unused = text.lines().filter_map(|line| {
            let mut words = line.splitn(3, ' ');
            let name = words.next()?.strip_prefix("refs/heads/")?.to_owned();
            let commit = words.next()?.to_owned();
            words.next().is_none_or(str::is_empty).then_some(UnusedBranch { name, commit })
        });
        Ok(unused.collect())
    }

    /// Creates a branch at the commit of a ref. A branch that is there already at the same commit is left as it is, and
    /// one at another commit is an error.
    pub fn create_at(&self, repository: &Path, branch: &str, reference: &str) -> Result<(), GitError> {
        let Some(commit) = self.0.commit(repository, reference)? else {
            return Err(GitError::Failed {
                what: "branch".to_owned(),
                output: format!("`{reference}` does not exist any more"),
            });
        };
        if self.0.commit(repository, &format!("refs/heads/{branch}"))?.as_ref() == Some(&commit) {
            return Ok(());
        }
        let inside = [INSIDE_GIT.to_owned()];
        self.0.output(repository, &inside, &["branch", "--no-track", branch, &commit]).map(drop)
    }

    /// Returns the branch that is checked out in a working tree, or `None` if HEAD is detached. Starts git only where the
    /// file HEAD does not name the branch.
    pub fn current(&self, top: &Path) -> Result<Option<String>, GitError> {
        let branch = branch_in_head_file(top);
        if branch.as_deref() != Some(BRANCH_ELSEWHERE) {
            return Ok(branch);
        }
        match self.0.line(top, &["symbolic-ref", "--quiet", "HEAD"]) {
            Ok(name) => Ok(name.strip_prefix("refs/heads/").map(str::to_owned)),
            // git reports in this way that HEAD is detached.
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the branch that is checked out has an upstream that exists.
    pub fn has_upstream(&self, top: &Path) -> bool {
        // git reports an error if no upstream is configured, and nothing if it does not exist.
        self.0.commit(top, UPSTREAM).is_ok_and(|commit| commit.is_some())
    }

    /// Removes a branch that has no commits of its own and returns whether the branch is gone.
    ///
    /// The lock is held from the comparison on: two branches with the same commits may be removed at the same time, and
    /// each of them would count as the copy of the other.
    pub fn delete_if_empty(&self, repository: &Path, branch: &str) -> Result<bool, GitError> {
        with_worktree_lock(repository, || {
            if self.0.commit(repository, &format!("refs/heads/{branch}"))?.is_none() {
                return Ok(true);
            }
            if self.count_own_commits(repository, branch)? > 0 {
                return Ok(false);
            }
            // git checks that the branch is not checked out in a worktree.
            self.0.output(repository, &[], &["branch", "--quiet", "-D", branch]).map(|_| true)
        })
    }

    /// Removes a branch if each of its commits is on another branch, on a remote or below the ref prefix `stored`.
    /// Returns whether the branch is gone. The lock is held as in [`Branches::delete_if_empty`].
    pub fn delete_if_stored(&self, repository: &Path, branch: &str, stored: &str) -> Result<bool, GitError> {
        let name = format!("refs/heads/{branch}");
        let (but, stored) = (format!("--exclude={branch}"), format!("--glob={stored}"));
        with_worktree_lock(repository, || {
            let Some(tip) = self.0.commit(repository, &name)? else { return Ok(true) };
            let count =
                ["rev-list", "--count", &tip, "--not", &but, "--branches", "--remotes", &stored, "--"];
            if self.0.line(repository, &count)? != "0" {
                return Ok(false);
            }
            self.delete_locked(repository, branch, &tip)?;
            Ok(self.0.commit(repository, &name)?.is_none())
        })
    }

    /// Returns the first of these names that is a valid branch name and is unused. A name that git already resolves is
    /// skipped, because the branch would hide a remote branch or an abbreviated commit with the same name.
    pub fn free_name(&self, dir: &Path, names: &[String]) -> Result<Option<String>, GitError> {
        for name in names {
            match self.check_name(dir, name) {
                Err(WorktreeError::Git(error)) => return Err(error),
                Err(_) => continue,
                Ok(()) => {}
            }
            if self.is_taken_name(dir, name)? {
                continue;
            }
            // git cannot have both `a` and `a/b`, so a name that conflicts in this way is skipped, too.
            let args = ["for-each-ref", "--format=%(refname)", "refs/heads/"];
            let output = self.0.output(dir, &[], &args)?;
            let taken = |there: &str| {
                there == name
                    || there.starts_with(&format!("{name}/"))
                    || name.starts_with(&format!("{there}/"))
            };
            let output = String::from_utf8_lossy(&output).into_owned();
            if !output.lines().filter_map(|line| line.strip_prefix("refs/heads/")).any(taken) {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    /// Returns whether a name starts with the name of a remote, or git resolves it to an object.
    fn is_taken_name(&self, dir: &Path, name: &str) -> Result<bool, GitError> {
        let remotes = self.0.output(dir, &[], &["remote"])?;
        let above = |remote: &str| {
            name.strip_prefix(remote).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if String::from_utf8_lossy(&remotes).lines().any(above) {
            return Ok(true);
        }
        match self.0.output(dir, &[], &["rev-parse", "--verify", "--quiet", name]) {
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(false),
            // git reports an error for an abbreviated commit that is ambiguous.
            Ok(_) | Err(GitError::Failed { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Removes a branch that still points to the commit where it was created, unless a worktree has it checked out.
    pub fn delete_at(&self, repository: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        with_worktree_lock(repository, || self.delete_locked(repository, branch, commit))
    }

    /// Removes a branch like [`Branches::delete_at`] while the caller holds the lock.
    fn delete_locked(&self, repository: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        let name = format!("refs/heads/{branch}");
        let worktrees = Worktrees(self.0).list_locked(repository)?;
        let is_used = worktrees.iter().any(|(_, on)| on.as_deref() == Some(branch));
        if is_used || self.0.commit(repository, &name)?.as_deref() != Some(commit) {
            return Ok(());
        }
        self.0.output(repository, &[INSIDE_GIT.to_owned()], &["update-ref", "-d", &name, commit]).map(drop)
    }

    pub(super) fn check_name(&self, dir: &Path, branch: &str) -> Result<(), WorktreeError> {
        let bad = || WorktreeError::BadBranch(branch.to_owned());
        if branch.contains(['\0', '\n']) {
            return Err(bad());
        }
        match self.0.output(dir, &[], &["check-ref-format", "--branch", branch]) {
            // git also accepts expressions such as `@{-1}`, which refer to another branch.
            Ok(output) if output.strip_suffix(b"\n") == Some(branch.as_bytes()) => Ok(()),
            Ok(_) | Err(GitError::Failed { .. }) => Err(bad()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the remote branch with this name, if there is exactly one.
    pub(super) fn on_remote(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        let output =
            self.0.output(dir, &[], &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/remotes/"])?;
        let output = String::from_utf8_lossy(&output).into_owned();
        let is_it = |name: &&str| name.split_once('/').is_some_and(|(_, rest)| rest == branch);
        let mut found = output.lines().filter(is_it);
        Ok(found.next().filter(|_| found.next().is_none()).map(str::to_owned))
    }

    /// Returns the number of commits on a branch that no remote, no other branch and no HEAD in this tree has.
    pub(super) fn count_own_commits(&self, dir: &Path, branch: &str) -> Result<u64, GitError> {
        let (name, but) = (format!("refs/heads/{branch}"), format!("--exclude={branch}"));
        History(self.0).count(dir, &[&name, "--not", &but, "--branches", "--remotes", "HEAD", "--"])
    }
}

#[cfg(test)]
mod tests {
    use super::super::branch;
    use super::super::testing::Repository;
    use super::*;

    #[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
    #[test]
    fn the_branch_of_a_repository_with_reftable_is_known() {
        let r = Repository::new();
        let init = ["init", "-q", "-b", "main", "--ref-format=reftable", "table"];
        if r.ours().output(&r.top(), &[], &init).is_err() {
            eprintln!("skipped: this git does not know the format");
            return;
        }
        let top = r.top().join("table");
        r.git_in(&top, &["commit", "-q", "--allow-empty", "-m", "first"]);
        let git = r.ours();
        assert_eq!(Branches(&git).current(&top).unwrap().as_deref(), Some("main"));
        assert_eq!(branch(&top), None);
        r.git_in(&top, &["checkout", "-q", "--detach"]);
        assert_eq!(Branches(&git).current(&top).unwrap(), None);
    }
}
