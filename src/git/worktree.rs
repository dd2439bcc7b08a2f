//! Worktrees that symposium manages: creates them from the current directory, repairs them after a move, and removes
//! them together with git's administrative files.
//!
//! `plan_branch` makes all checks before anything is created. These functions must never change the tree that a
//! worktree is created from, nor a branch that has commits of its own.

mod lock;
mod verify;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::branches::Branches;
use super::checkout_size::CheckoutSize;
use super::command::{Git, GitError};
use super::submodules::INSIDE_GIT;
use super::{git_dir, project};
pub(super) use lock::with_worktree_lock;
pub use verify::verify_link;

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

/// Creates, lists, checks, repairs and removes worktrees.
#[derive(Debug, Clone, Copy)]
pub struct Worktrees<'a>(pub &'a Git);

impl Worktrees<'_> {
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
        if self.0.commit(dir, "HEAD")?.is_none() {
            return Err(WorktreeError::NoCommit);
        }
        let (RequestedBranch::Own(branch) | RequestedBranch::Named(branch)) = requested;
        Branches(self.0).check_name(dir, branch)?;
        if self.0.commit(dir, &format!("refs/heads/{branch}"))?.is_none() {
            let remote = match requested {
                RequestedBranch::Own(_) => None,
                RequestedBranch::Named(_) => Branches(self.0).on_remote(dir, branch)?,
            };
            let branch = branch.to_owned();
            return Ok(remote.map_or_else(
                || BranchPlan::New(branch.clone()),
                |remote| BranchPlan::Follow { branch: branch.clone(), remote },
            ));
        }
        let elsewhere = self
            .list(dir)?
            .into_iter()
            .find(|(path, on)| on.as_deref() == Some(branch) && path != at && path.exists());
        if let Some((path, _)) = elsewhere {
            return Err(WorktreeError::CheckedOut { branch: branch.to_owned(), at: path });
        }
        match requested {
            RequestedBranch::Named(_) => Ok(BranchPlan::Existing(branch.to_owned())),
            RequestedBranch::Own(_) => match Branches(self.0).count_own_commits(dir, branch)? {
                0 => Ok(BranchPlan::Reset(branch.to_owned())),
                commits => Err(WorktreeError::HasCommits { branch: branch.to_owned(), commits }),
            },
        }
    }

    /// Creates a worktree. First removes the remains of one that a killed command left at the same path.
    pub fn add(&self, dir: &Path, plan: &BranchPlan, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let branch = plan.branch();
        let args: Vec<&str> = match plan {
            BranchPlan::New(_) => vec!["--no-track", "-b", branch, &place, "HEAD"],
            BranchPlan::Reset(_) => vec!["--no-track", "-B", branch, &place, "HEAD"],
            BranchPlan::At { commit, .. } => vec!["--no-track", "-b", branch, &place, commit],
            BranchPlan::Existing(_) => vec![&place, branch],
            BranchPlan::Follow { remote, .. } => vec!["--track", "-b", branch, &place, remote],
        };
        with_worktree_lock(dir, || {
            self.forget_locked(dir, at)?;
            self.0.output(dir, &[], &[&["worktree", "add", "--no-checkout"][..], &args].concat())
        })?;
        match plan {
            BranchPlan::At { .. } => Worktrees(&self.0.with_memory_limit()).check_out(at),
            _ => self.check_out(at),
        }
    }

    /// Writes the files of a worktree that was added with `--no-checkout`. The repository's list of worktrees is not
    /// locked during the checkout, because it may take minutes.
    pub(super) fn check_out(&self, at: &Path) -> Result<(), GitError> {
        self.0.output(at, &[], &["reset", "--hard", "--quiet", "--no-recurse-submodules"]).map(drop)
    }

    /// Removes a worktree with everything in it, even if it is incomplete or already deleted.
    pub fn forget(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        with_worktree_lock(repository, || self.forget_locked(repository, at))
    }

    fn forget_locked(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        if !self.list_locked(repository)?.iter().any(|(path, _)| path == at) {
            return Ok(());
        }
        let place = at.to_string_lossy();
        // The second `--force` also removes a locked worktree; git locks it while it is being created.
        self.remove(repository, &["worktree", "remove", "--force", "--force", &place])
    }

    pub(super) fn remove(&self, repository: &Path, args: &[&str]) -> Result<(), GitError> {
        match self.0.output(repository, &[INSIDE_GIT.to_owned()], args) {
            Err(GitError::Failed { output, .. }) if output.contains("is not a working tree") => Ok(()),
            other => other.map(drop),
        }
    }

    /// Updates git's administrative files after a worktree was moved.
    pub fn repair(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let args = ["worktree", "repair", &place];
        with_worktree_lock(repository, || {
            self.0.output(repository, &[INSIDE_GIT.to_owned()], &args).map(drop)
        })
    }

    /// Returns all worktrees of a repository with their branches.
    pub(super) fn list(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        with_worktree_lock(dir, || self.list_locked(dir))
    }

    /// Returns the same list while the caller holds the lock.
    pub(super) fn list_locked(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        let args = ["worktree", "list", "--porcelain", "-z"];
        // Without `-z`, which git has since 2.36, a path with a line end could name another worktree or branch.
        let (output, separator) = match self.0.output(dir, &[INSIDE_GIT.to_owned()], &args) {
            Err(GitError::Failed { output, .. }) if output.contains("unknown switch") => {
                (self.0.output(dir, &[INSIDE_GIT.to_owned()], &args[..3])?, b'\n')
            }
            other => (other?, 0),
        };
        let mut found: Vec<(PathBuf, Option<String>)> = Vec::new();
        for field in output.split(|byte| *byte == separator) {
            if let Some(path) = field.strip_prefix(b"worktree ") {
                found.push((OsStr::from_bytes(path).into(), None));
            } else if let (Some(name), Some(last)) =
                (field.strip_prefix(b"branch refs/heads/"), found.last_mut())
            {
                last.1 = Some(String::from_utf8_lossy(name).into_owned());
            }
        }
        if let Some((main, _)) = found.first_mut().filter(|(top, _)| git_dir(top).is_none()) {
            *main = self.configured_tree(main);
        }
        Ok(found)
    }

    /// Returns the main working tree of a repository whose git directory is elsewhere, such as that of a submodule. git
    /// lists the git directory in its place.
    fn configured_tree(&self, own: &Path) -> PathBuf {
        let configured = self.0.output(own, &[INSIDE_GIT.to_owned()], &["config", "--get", "core.worktree"]);
        let configured = configured.unwrap_or_default();
        let relative = Path::new(OsStr::from_bytes(configured.trim_ascii_end()));
        match relative.as_os_str().is_empty() {
            true => own.to_owned(),
            false => own.join(relative).canonicalize().unwrap_or_else(|_| own.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
