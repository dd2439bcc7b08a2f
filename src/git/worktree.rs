//! Worktrees that symposium manages: creates them from the current directory, repairs them after a move, and removes
//! them together with git's administrative files.
//!
//! `plan_branch` makes all checks before anything is created. These functions must never change the tree that a
//! worktree is created from, nor a branch that has commits of its own.

mod lock;

use std::path::{Path, PathBuf};

use super::checkout_size::CheckoutSize;
use super::command::{Git, GitError};
use super::project;
use super::submodules::{INSIDE_GIT, Submodule};

/// The branch that the user requested for a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedBranch<'a> {
    /// A new branch for the agent, created from HEAD.
    Own(&'a str),
    /// This branch; created from HEAD if it exists neither here nor on a remote.
    Named(&'a str),
}

/// The way in which the branch of a new worktree is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchPlan {
    /// The branch is created from HEAD.
    New(String),
    /// The branch exists without commits of its own, and is reset to HEAD.
    Reset(String),
    /// The branch is created at a commit from a hand-off.
    At {
        /// Name of the branch.
        branch: String,
        /// The commit at which the branch starts.
        commit: String,
    },
    /// The branch exists already.
    Existing(String),
    /// The branch exists on a remote and is created as its tracking branch.
    Follow {
        /// Name of the branch.
        branch: String,
        /// The remote branch, `origin/name`.
        remote: String,
    },
}

impl BranchPlan {
    /// Returns the name of the branch.
    pub fn branch(&self) -> &str {
        match self {
            BranchPlan::New(branch) | BranchPlan::Reset(branch) | BranchPlan::Existing(branch) => branch,
            BranchPlan::Follow { branch, .. } | BranchPlan::At { branch, .. } => branch,
        }
    }

    /// Returns whether the branch was created by symposium, so that it may be removed if it has no commits of its own.
    pub fn makes_branch(&self) -> bool {
        !matches!(self, BranchPlan::Existing(_))
    }

    /// Returns the initial value for counting the size of submodules, or `None` if the tree is trusted.
    pub fn counted_from(&self) -> Option<CheckoutSize> {
        matches!(self, BranchPlan::At { .. }).then(CheckoutSize::default)
    }
}

/// The reason why a worktree cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The directory is in no repository.
    #[error("it is not in a git repository")]
    NoRepository,
    /// The repository has no commit to start from.
    #[error("its repository has no commit yet")]
    NoCommit,
    /// The text is not a valid branch name.
    #[error("`{0}` cannot be the name of a branch")]
    BadBranch(String),
    /// The branch is checked out in another worktree.
    #[error("branch `{branch}` is checked out in {}", at.display())]
    CheckedOut {
        /// Name of the branch.
        branch: String,
        /// Path of the worktree that has the branch checked out.
        at: PathBuf,
    },
    /// The branch of an earlier agent has commits that exist nowhere else.
    #[error("branch `{branch}` already exists with {commits} {} of its own", if *commits == 1 { "commit" } else { "commits" })]
    HasCommits {
        /// Name of the branch.
        branch: String,
        /// Number of commits that exist only on this branch.
        commits: u64,
    },
    /// git returned an error.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Git {
    /// Determines how the branch of a worktree at `at` would be created, starting from `dir`. Changes nothing.
    pub fn plan_branch(
        &self,
        dir: &Path,
        requested: RequestedBranch<'_>,
        at: &Path,
    ) -> Result<BranchPlan, WorktreeError> {
        if project(dir).is_none() {
            return Err(WorktreeError::NoRepository);
        }
        if self.commit(dir, "HEAD")?.is_none() {
            return Err(WorktreeError::NoCommit);
        }
        let (RequestedBranch::Own(branch) | RequestedBranch::Named(branch)) = requested;
        self.check_name(dir, branch)?;
        if self.commit(dir, &format!("refs/heads/{branch}"))?.is_none() {
            let remote = match requested {
                RequestedBranch::Own(_) => None,
                RequestedBranch::Named(_) => self.on_remote(dir, branch)?,
            };
            let branch = branch.to_owned();
            return Ok(remote.map_or_else(
                || BranchPlan::New(branch.clone()),
                |remote| BranchPlan::Follow { branch: branch.clone(), remote },
            ));
        }
        let elsewhere = self
            .worktrees(dir)?
            .into_iter()
            .find(|(path, on)| on.as_deref() == Some(branch) && path != at && path.exists());
        if let Some((path, _)) = elsewhere {
            return Err(WorktreeError::CheckedOut { branch: branch.to_owned(), at: path });
        }
        match requested {
            RequestedBranch::Named(_) => Ok(BranchPlan::Existing(branch.to_owned())),
            RequestedBranch::Own(_) => match self.own_commits(dir, branch)? {
                0 => Ok(BranchPlan::Reset(branch.to_owned())),
                commits => Err(WorktreeError::HasCommits { branch: branch.to_owned(), commits }),
            },
        }
    }

    /// Creates a worktree. First removes the remains of one that a killed command left at the same path.
    pub fn add_worktree(&self, dir: &Path, plan: &BranchPlan, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let branch = plan.branch();
        let args: Vec<&str> = match plan {
            BranchPlan::New(_) => vec!["--no-track", "-b", branch, &place, "HEAD"],
            BranchPlan::Reset(_) => vec!["--no-track", "-B", branch, &place, "HEAD"],
            BranchPlan::At { commit, .. } => vec!["--no-track", "-b", branch, &place, commit],
            BranchPlan::Existing(_) => vec![&place, branch],
            BranchPlan::Follow { remote, .. } => vec!["--track", "-b", branch, &place, remote],
        };
        self.with_worktree_lock(dir, || {
            self.forget_locked(dir, at)?;
            self.output(dir, &[], &[&["worktree", "add", "--no-checkout"][..], &args].concat())
        })?;
        match plan {
            BranchPlan::At { .. } => self.with_memory_limit().check_out(at),
            _ => self.check_out(at),
        }
    }

    /// Writes the files of a worktree that was added with `--no-checkout`. The repository's list of worktrees is not
    /// locked during the checkout, because it may take minutes.
    pub(super) fn check_out(&self, at: &Path) -> Result<(), GitError> {
        self.output(at, &[], &["reset", "--hard", "--quiet", "--no-recurse-submodules"]).map(drop)
    }

    /// Removes a worktree with everything in it, even if it is incomplete or already deleted.
    pub fn forget_worktree(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        self.with_worktree_lock(repository, || self.forget_locked(repository, at))
    }

    fn forget_locked(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        if !self.list(repository)?.iter().any(|(path, _)| path == at) {
            return Ok(());
        }
        let place = at.to_string_lossy();
        // The second `--force` also removes a locked worktree; git locks it while it is being created.
        self.remove(repository, &["worktree", "remove", "--force", "--force", &place])
    }

    /// Removes a checked-out submodule from the list of worktrees of its own repository.
    pub fn forget_submodule(&self, top: &Path, submodule: &Submodule) -> Result<(), GitError> {
        let at = top.join(&submodule.path);
        let place = at.to_string_lossy();
        let own = &submodule.repository;
        self.with_worktree_lock(own, || {
            self.remove(own, &["worktree", "remove", "--force", "--force", &place])
        })
    }

    fn remove(&self, repository: &Path, args: &[&str]) -> Result<(), GitError> {
        match self.output(repository, &[INSIDE_GIT.to_owned()], args) {
            Err(GitError::Failed { output, .. }) if output.contains("is not a working tree") => Ok(()),
            other => other.map(drop),
        }
    }

    /// Updates git's administrative files after a worktree was moved.
    pub fn repair_worktree(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let args = ["worktree", "repair", &place];
        self.with_worktree_lock(repository, || {
            self.output(repository, &[INSIDE_GIT.to_owned()], &args).map(drop)
        })
    }

    /// Removes a branch that has no commits of its own and returns whether the branch is gone.
    pub fn drop_empty_branch(&self, repository: &Path, branch: &str) -> Result<bool, GitError> {
        if self.commit(repository, &format!("refs/heads/{branch}"))?.is_none() {
            return Ok(true);
        }
        if self.own_commits(repository, branch)? > 0 {
            return Ok(false);
        }
        // git checks that the branch is not checked out in a worktree.
        let args = ["branch", "--quiet", "-D", branch];
        self.with_worktree_lock(repository, || self.output(repository, &[], &args).map(|_| true))
    }

    /// Removes a branch if each of its commits is on another branch, on a remote or below the ref prefix `stored`.
    /// Returns whether the branch is gone.
    pub fn drop_stored_branch(
        &self,
        repository: &Path,
        branch: &str,
        stored: &str,
    ) -> Result<bool, GitError> {
        let name = format!("refs/heads/{branch}");
        let Some(tip) = self.commit(repository, &name)? else { return Ok(true) };
        let (but, stored) = (format!("--exclude={branch}"), format!("--glob={stored}"));
        let count = ["rev-list", "--count", &tip, "--not", &but, "--branches", "--remotes", &stored];
        if self.line(repository, &count)? != "0" {
            return Ok(false);
        }
        self.drop_branch_at(repository, branch, &tip)?;
        Ok(self.commit(repository, &name)?.is_none())
    }

    /// Returns the first of these names that is a valid branch name and is unused. A name that git already resolves is
    /// skipped, because the branch would hide a remote branch or an abbreviated commit with the same name.
    pub fn free_branch(&self, dir: &Path, names: &[String]) -> Result<Option<String>, GitError> {
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
            let output = self.output(dir, &[], &args)?;
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
        let remotes = self.output(dir, &[], &["remote"])?;
        let above = |remote: &str| {
            name.strip_prefix(remote).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if String::from_utf8_lossy(&remotes).lines().any(above) {
            return Ok(true);
        }
        match self.output(dir, &[], &["rev-parse", "--verify", "--quiet", name]) {
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(false),
            // git reports an error for an abbreviated commit that is ambiguous.
            Ok(_) | Err(GitError::Failed { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Removes a branch that still points to the commit where it was created, unless a worktree has it checked out.
    pub fn drop_branch_at(&self, repository: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        let name = format!("refs/heads/{branch}");
        let is_used = self.worktrees(repository)?.iter().any(|(_, on)| on.as_deref() == Some(branch));
        if is_used || self.commit(repository, &name)?.as_deref() != Some(commit) {
            return Ok(());
        }
        self.output(repository, &[INSIDE_GIT.to_owned()], &["update-ref", "-d", &name, commit]).map(drop)
    }

    fn check_name(&self, dir: &Path, branch: &str) -> Result<(), WorktreeError> {
        let bad = || WorktreeError::BadBranch(branch.to_owned());
        if branch.contains(['\0', '\n']) {
            return Err(bad());
        }
        match self.output(dir, &[], &["check-ref-format", "--branch", branch]) {
            // git also accepts expressions such as `@{-1}`, which refer to another branch.
            Ok(output) if output.strip_suffix(b"\n") == Some(branch.as_bytes()) => Ok(()),
            Ok(_) | Err(GitError::Failed { .. }) => Err(bad()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the remote branch with this name, if there is exactly one.
    fn on_remote(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        let output =
            self.output(dir, &[], &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/remotes/"])?;
        let output = String::from_utf8_lossy(&output).into_owned();
        let is_it = |name: &&str| name.split_once('/').is_some_and(|(_, rest)| rest == branch);
        let mut found = output.lines().filter(is_it);
        Ok(found.next().filter(|_| found.next().is_none()).map(str::to_owned))
    }

    /// Returns all worktrees of a repository with their branches.
    pub(super) fn worktrees(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        self.with_worktree_lock(dir, || self.list(dir))
    }

    fn list(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        let output = self.output(dir, &[INSIDE_GIT.to_owned()], &["worktree", "list", "--porcelain"])?;
        let mut found: Vec<(PathBuf, Option<String>)> = Vec::new();
        for line in String::from_utf8_lossy(&output).lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                found.push((PathBuf::from(path), None));
            } else if let (Some(name), Some(last)) =
                (line.strip_prefix("branch refs/heads/"), found.last_mut())
            {
                last.1 = Some(name.to_owned());
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
