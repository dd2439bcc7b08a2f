//! Worktrees of ours: made from where somebody stands, found again after a move, removed with what git keeps of them.
//!
//! Everything that can be refused is refused in `plan_branch`, before anything is made. Must never touch the tree that
//! a worktree is made from, nor a branch that has commits of its own.

use std::path::{Path, PathBuf};

use super::checkout_size::Unfolded;
use super::command::{Git, GitError};
use super::project;
use super::submodules::{INSIDE_GIT, Submodule};

/// Which branch somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchWish<'a> {
    /// One of its own, from HEAD.
    Own(&'a str),
    /// This one: made from HEAD unless it is here or on a remote.
    Named(&'a str),
}

/// How the branch of a new worktree comes about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchPlan {
    /// It is made from HEAD.
    New(String),
    /// It was left without a commit of its own, and is made again from HEAD.
    Again(String),
    /// It is made from this commit, which was handed over.
    At {
        /// Its name.
        branch: String,
        /// The commit.
        commit: String,
    },
    /// It is here.
    Existing(String),
    /// It is on a remote, which it follows.
    Follow {
        /// Its name.
        branch: String,
        /// The remote's branch, `origin/name`.
        remote: String,
    },
}

impl BranchPlan {
    /// What the branch is called.
    pub fn branch(&self) -> &str {
        match self {
            BranchPlan::New(branch) | BranchPlan::Again(branch) | BranchPlan::Existing(branch) => branch,
            BranchPlan::Follow { branch, .. } | BranchPlan::At { branch, .. } => branch,
        }
    }

    /// Whether the branch is ours to remove when nothing was done on it.
    pub fn makes_branch(&self) -> bool {
        !matches!(self, BranchPlan::Existing(_))
    }

    /// What the submodules are counted from; none where the tree is nobody else's word.
    pub fn counted_from(&self) -> Option<Unfolded> {
        matches!(self, BranchPlan::At { .. }).then(Unfolded::default)
    }
}

/// Why there can be no such worktree.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no repository.
    #[error("it is in no git repository")]
    NoRepository,
    /// There is no commit to begin from.
    #[error("its repository has no commit yet")]
    NoCommit,
    /// No branch can be called that.
    #[error("`{0}` cannot be the name of a branch")]
    BadBranch(String),
    /// The branch is checked out elsewhere.
    #[error("branch `{branch}` is checked out in {}", at.display())]
    CheckedOut {
        /// The branch.
        branch: String,
        /// Where.
        at: PathBuf,
    },
    /// The branch of an earlier agent has commits that are nowhere else.
    #[error("there is a branch `{branch}` already, with {commits} {} of its own", if *commits == 1 { "commit" } else { "commits" })]
    HasCommits {
        /// The branch.
        branch: String,
        /// How many.
        commits: u64,
    },
    /// git itself refused.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Git {
    /// How the branch of a worktree at `at` would come about, from where somebody stands. Changes nothing.
    pub fn plan_branch(&self, dir: &Path, wish: BranchWish<'_>, at: &Path) -> Result<BranchPlan, Refusal> {
        if project(dir).is_none() {
            return Err(Refusal::NoRepository);
        }
        if self.commit(dir, "HEAD")?.is_none() {
            return Err(Refusal::NoCommit);
        }
        let (BranchWish::Own(branch) | BranchWish::Named(branch)) = wish;
        self.check_name(dir, branch)?;
        if self.commit(dir, &format!("refs/heads/{branch}"))?.is_none() {
            let remote = match wish {
                BranchWish::Own(_) => None,
                BranchWish::Named(_) => self.on_remote(dir, branch)?,
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
            return Err(Refusal::CheckedOut { branch: branch.to_owned(), at: path });
        }
        match wish {
            BranchWish::Named(_) => Ok(BranchPlan::Existing(branch.to_owned())),
            BranchWish::Own(_) => match self.own_commits(dir, branch)? {
                0 => Ok(BranchPlan::Again(branch.to_owned())),
                commits => Err(Refusal::HasCommits { branch: branch.to_owned(), commits }),
            },
        }
    }

    /// Makes a worktree. What a command that was killed left of one at the same place goes first.
    pub fn add_worktree(&self, dir: &Path, plan: &BranchPlan, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let branch = plan.branch();
        let args: Vec<&str> = match plan {
            BranchPlan::New(_) => vec!["--no-track", "-b", branch, &place, "HEAD"],
            BranchPlan::Again(_) => vec!["--no-track", "-B", branch, &place, "HEAD"],
            BranchPlan::At { commit, .. } => vec!["--no-track", "-b", branch, &place, commit],
            BranchPlan::Existing(_) => vec![&place, branch],
            BranchPlan::Follow { remote, .. } => vec!["--track", "-b", branch, &place, remote],
        };
        self.in_turn(dir, || {
            self.forget_in_turn(dir, at)?;
            self.ask(dir, &[], &[&["worktree", "add", "--no-checkout"][..], &args].concat())
        })?;
        match plan {
            BranchPlan::At { .. } => self.wary().check_out(at),
            _ => self.check_out(at),
        }
    }

    /// Writes the files of a worktree that was added with `--no-checkout`. The repository's list of worktrees is not
    /// locked meanwhile, because a checkout may take minutes.
    ///
    /// The filters to disable are read here, in the new worktree: `includeIf "onbranch:…"` and `includeIf "gitdir:…"`
    /// give it another configuration than the tree it was made from.
    pub(super) fn check_out(&self, at: &Path) -> Result<(), GitError> {
        let filters_off = self.own_filters_off(at)?;
        self.ask(at, &filters_off, &["reset", "--hard", "--quiet", "--no-recurse-submodules"]).map(drop)
    }

    /// Removes a worktree with everything in it, also one that is half made or gone already.
    pub fn forget_worktree(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        self.in_turn(repository, || self.forget_in_turn(repository, at))
    }

    fn forget_in_turn(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        if !self.list(repository)?.iter().any(|(path, _)| path == at) {
            return Ok(());
        }
        let place = at.to_string_lossy();
        // Twice: also one that was locked, as it is while it is being made.
        self.remove(repository, &["worktree", "remove", "--force", "--force", &place])
    }

    /// Removes a filled submodule from its own repository's list.
    pub fn forget_submodule(&self, top: &Path, submodule: &Submodule) -> Result<(), GitError> {
        let at = top.join(&submodule.path);
        let place = at.to_string_lossy();
        let own = &submodule.repository;
        self.in_turn(own, || self.remove(own, &["worktree", "remove", "--force", "--force", &place]))
    }

    fn remove(&self, repository: &Path, args: &[&str]) -> Result<(), GitError> {
        match self.ask(repository, &[INSIDE_GIT.to_owned()], args) {
            Err(GitError::Failed { said, .. }) if said.contains("is not a working tree") => Ok(()),
            other => other.map(drop),
        }
    }

    /// Tells git where a worktree is that was moved.
    pub fn repair_worktree(&self, repository: &Path, at: &Path) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let args = ["worktree", "repair", &place];
        self.in_turn(repository, || self.ask(repository, &[INSIDE_GIT.to_owned()], &args).map(drop))
    }

    /// Removes a branch that has no commit of its own; says whether it did.
    pub fn drop_empty_branch(&self, repository: &Path, branch: &str) -> Result<bool, GitError> {
        if self.commit(repository, &format!("refs/heads/{branch}"))?.is_none() {
            return Ok(true);
        }
        if self.own_commits(repository, branch)? > 0 {
            return Ok(false);
        }
        // git looks first whether a worktree has it.
        let args = ["branch", "--quiet", "-D", branch];
        self.in_turn(repository, || self.ask(repository, &[], &args).map(|_| true))
    }

    /// The first of these names that can be a branch and means nothing yet: as a branch it would stand before a remote's
    /// branch or a short commit of the same name.
    pub fn free_branch(&self, dir: &Path, names: &[String]) -> Result<Option<String>, GitError> {
        for name in names {
            match self.check_name(dir, name) {
                Err(Refusal::Git(error)) => return Err(error),
                Err(_) => continue,
                Ok(()) => {}
            }
            if self.means_something(dir, name)? {
                continue;
            }
            // Also one whose first step is a branch: git can have `a` or `a/b`.
            let args = ["for-each-ref", "--format=%(refname)", "refs/heads/"];
            let said = self.ask(dir, &[], &args)?;
            let taken = |there: &str| {
                there == name
                    || there.starts_with(&format!("{name}/"))
                    || name.starts_with(&format!("{there}/"))
            };
            let said = String::from_utf8_lossy(&said).into_owned();
            if !said.lines().filter_map(|line| line.strip_prefix("refs/heads/")).any(taken) {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    /// Whether a name is a remote's, or git knows anything by it.
    fn means_something(&self, dir: &Path, name: &str) -> Result<bool, GitError> {
        let remotes = self.ask(dir, &[], &["remote"])?;
        let above = |remote: &str| {
            name.strip_prefix(remote).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if String::from_utf8_lossy(&remotes).lines().any(above) {
            return Ok(true);
        }
        match self.ask(dir, &[], &["rev-parse", "--verify", "--quiet", name]) {
            Err(GitError::Failed { said, .. }) if said.is_empty() => Ok(false),
            // It complains about a short commit that may be several.
            Ok(_) | Err(GitError::Failed { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Removes a branch that is still where it was made, and that nobody works on.
    pub fn drop_branch_at(&self, repository: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        let name = format!("refs/heads/{branch}");
        let is_used = self.worktrees(repository)?.iter().any(|(_, on)| on.as_deref() == Some(branch));
        if is_used || self.commit(repository, &name)?.as_deref() != Some(commit) {
            return Ok(());
        }
        self.ask(repository, &[INSIDE_GIT.to_owned()], &["update-ref", "-d", &name, commit]).map(drop)
    }

    fn check_name(&self, dir: &Path, branch: &str) -> Result<(), Refusal> {
        let bad = || Refusal::BadBranch(branch.to_owned());
        if branch.contains(['\0', '\n']) {
            return Err(bad());
        }
        match self.ask(dir, &[], &["check-ref-format", "--branch", branch]) {
            // It also takes words such as `@{-1}` for another branch.
            Ok(said) if said.strip_suffix(b"\n") == Some(branch.as_bytes()) => Ok(()),
            Ok(_) | Err(GitError::Failed { .. }) => Err(bad()),
            Err(error) => Err(error.into()),
        }
    }

    /// The one remote branch of this name, if there is exactly one.
    fn on_remote(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        let said = self.ask(dir, &[], &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/remotes/"])?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let is_it = |name: &&str| name.split_once('/').is_some_and(|(_, rest)| rest == branch);
        let mut found = said.lines().filter(is_it);
        Ok(found.next().filter(|_| found.next().is_none()).map(str::to_owned))
    }

    /// Every worktree of a repository with its branch.
    fn worktrees(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        self.in_turn(dir, || self.list(dir))
    }

    fn list(&self, dir: &Path) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        let said = self.ask(dir, &[INSIDE_GIT.to_owned()], &["worktree", "list", "--porcelain"])?;
        let mut found: Vec<(PathBuf, Option<String>)> = Vec::new();
        for line in String::from_utf8_lossy(&said).lines() {
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
