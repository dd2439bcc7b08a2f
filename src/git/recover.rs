//! Recovery commits: uncommitted and untracked files of a working tree, stored under a ref before the tree is deleted.
//! Staged versions that differ from the files, commits that only the reflog has, and those that git set aside are
//! parents of the commit. Files whose line endings or encoding git would change have their original bytes.
//!
//! The working tree, its index and its branch stay as they are. Ignored files are not stored.

mod set_aside;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
pub use set_aside::SetAsideCommits;

use super::checkpoint::ExactFiles;
use super::command::{Git, GitError};
use super::common_dir;
use super::objects::Objects;
use super::review::{ObjectStore, SnapshotPlan, Snapshots};
use super::submodules::{Submodules, is_deleted_with};
use super::uncommitted::{Index, WorkingTreeChanges};
use super::unsaved_work::UnsavedWorkSearch;

/// Identity of recovery commits and checkpoints. Without one, git refuses to commit where the user has configured none.
pub(super) const IDENTITY: [&str; 3] =
    ["user.name=symposium", "user.email=symposium@localhost", "commit.gpgSign=false"];

/// Number of reflog entries that are searched for commits, the newest first.
const MAX_REFLOG_ENTRIES: usize = 1000;

/// Maximum number of commits from the reflog that become parents of one commit. More of them get a commit in between.
const MAX_PARENTS: usize = 64;

/// The location and the content of the recovery commits for one removal.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryPlan<'a> {
    /// Full name of the ref to create.
    pub reference: &'a str,
    /// Subject line of the commit.
    pub subject: &'a str,
    /// Pathspecs that exclude untracked files.
    pub left_out: &'a [String],
    /// A branch that is deleted afterwards. Its commits are stored even if the tree has no changes.
    pub branch: Option<&'a str>,
    /// Directory for temporary files.
    pub scratch: &'a Path,
}

/// Stores the work of a working tree in recovery commits and deletes them.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryCommits<'a>(pub &'a Git);

impl RecoveryCommits<'_> {
    /// Stores the work of a tree and its submodules and returns the repositories that got a recovery commit.
    ///
    /// Fails if git cannot store all of it: an embedded repository, an unreadable file, or a submodule whose repository
    /// is deleted together with the tree.
    pub fn store_work(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<Vec<PathBuf>, GitError> {
        let Some(common) = common_dir(top) else { return Err(failed("add", "this is not a working tree")) };
        let mut stored = Vec::new();
        for path in Submodules(self.0).paths(top)?.iter().map(|path| top.join(path)) {
            if !path.join(".git").exists() {
                continue;
            }
            if is_deleted_with(top, &path) {
                let work = UnsavedWorkSearch(self.0).in_tree(&path, None)?.unwrap_or_default();
                if work.changed.is_empty() && Submodules(self.0).local_commits(&path)? == 0 {
                    continue;
                }
                return Err(failed("add", "the repository of a submodule belongs to this worktree"));
            }
            stored.extend(self.store_work(&path, RecoveryPlan { left_out: &[], branch: None, ..plan })?);
        }
        if self.store_tree(top, plan)? {
            stored.push(match common.ends_with(".git") {
                true => common.parent().map_or_else(|| common.clone(), Path::to_owned),
                false => common,
            });
        }
        Ok(stored)
    }

    /// Keeps a commit as the parent of a new one, whose date decides how long it is kept.
    pub fn store_commit(&self, top: &Path, reference: &str, commit: &str) -> Result<(), GitError> {
        let tree = Objects(self.0).tree_of(top, commit)?;
        let subject = "commits that symposium replaced";
        let stored = self.write(top, &tree, subject, &[commit.to_owned()])?;
        self.0.output(top, &[], &["update-ref", reference, &stored]).map(drop)
    }

    /// Stores what the git directory of a tree has and its files have not: commits that no branch has, those that only the
    /// reflog of the branch has, and staged versions. Returns whether there was any.
    pub fn store_without_files(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<bool, GitError> {
        let head = self.0.head(top)?;
        let is_saved = self.is_on_a_branch(top, head.as_deref())?;
        let mut parents: Vec<String> = head.iter().filter(|_| !is_saved).cloned().collect();
        parents.extend(self.commits_without_a_branch(top, plan.branch)?);
        parents.extend(match self.staged_commit(top, (head.as_deref(), None), plan) {
            // A damaged index has nothing to store.
            Err(GitError::Failed { .. }) => None,
            staged => staged?,
        });
        let Some(first) = parents.first() else { return Ok(false) };
        let commit = self.write(top, &Objects(self.0).tree_of(top, first)?, plan.subject, &parents)?;
        self.0.output(top, &[], &["update-ref", plan.reference, &commit])?;
        Ok(true)
    }

    /// Stores the work of one tree without its submodules and returns whether there was any.
    fn store_tree(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<bool, GitError> {
        if !WorkingTreeChanges(self.0).repositories_below(top)?.is_empty() {
            return Err(failed("add", "the working tree contains another repository"));
        }
        let snapshot =
            SnapshotPlan { left_out: plan.left_out, scratch: plan.scratch, objects: ObjectStore::Repository };
        let tree = Snapshots(self.0).write(top, snapshot)?;
        let head = self.0.commit(top, "HEAD")?;
        let is_clean = match &head {
            Some(head) => self.0.line(top, &["rev-parse", &format!("{head}^{{tree}}")])? == tree,
            None => false,
        };
        let branch = match plan.branch {
            Some(branch) => self.0.commit(top, &format!("refs/heads/{branch}"))?,
            None => None,
        };
        let lost = self.commits_without_a_branch(top, plan.branch)?;
        if is_clean && branch.is_none() && lost.is_empty() && self.is_on_a_branch(top, head.as_deref())? {
            return Ok(false);
        }
        let mut parents: Vec<String> = head.iter().cloned().collect();
        parents.extend(branch.filter(|tip| head.as_ref() != Some(tip)));
        parents.extend(self.staged_commit(top, (head.as_deref(), Some(&tree)), plan)?);
        parents.extend(lost);
        let exact = ExactFiles(self.0).store(top, (head.as_deref(), &tree), plan.scratch)?;
        let tree = match exact.is_empty() {
            true => tree,
            false => {
                let places = (&*plan.scratch.join("index"), plan.scratch);
                ExactFiles(self.0).add_to_index(top, &exact, places)?
            }
        };
        let commit = self.write(top, &tree, plan.subject, &parents)?;
        self.0.output(top, &[], &["update-ref", plan.reference, &commit])?;
        Ok(true)
    }

    /// Writes a commit without changing a ref and returns its id.
    fn write(&self, top: &Path, tree: &str, subject: &str, parents: &[String]) -> Result<String, GitError> {
        let mut args = vec!["commit-tree", tree, "-m", subject];
        args.extend(parents.iter().flat_map(|parent| ["-p", parent.as_str()]));
        let output = self.0.output(top, &IDENTITY.map(str::to_owned), &args)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Stores the content of the index, if it differs from HEAD and from the files, whose tree may be unknown.
    fn staged_commit(
        &self,
        top: &Path,
        (head, tree): (Option<&str>, Option<&str>),
        plan: RecoveryPlan<'_>,
    ) -> Result<Option<String>, GitError> {
        // There is no such tree while the index has conflicts.
        let Some(staged) = Index(self.0).write_tree(top, plan.scratch)? else { return Ok(None) };
        let committed = head.map(|head| Objects(self.0).tree_of(top, head)).transpose()?;
        if Some(&*staged) == tree || Some(&staged) == committed.as_ref() {
            return Ok(None);
        }
        let parents: Vec<String> = head.iter().map(|head| (*head).to_owned()).collect();
        let subject = format!("staged changes: {}", plan.subject);
        self.write(top, &staged, &subject, &parents).map(Some)
    }

    /// Returns the last commits of each line of history that only the reflog of the tree, or of the deleted branch, has,
    /// or that git set aside.
    fn commits_without_a_branch(&self, top: &Path, branch: Option<&str>) -> Result<Vec<String>, GitError> {
        let mut tips = BTreeSet::from_iter(SetAsideCommits(self.0).list(top)?);
        let branch = branch.map(|branch| format!("refs/heads/{branch}"));
        for name in std::iter::once("HEAD").chain(branch.as_deref()) {
            if self.0.commit(top, name)?.is_some() {
                let most = format!("--max-count={MAX_REFLOG_ENTRIES}");
                let entries = self.0.line(top, &["rev-list", "--walk-reflogs", &most, name, "--"])?;
                tips.extend(entries.lines().map(str::to_owned));
            }
        }
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let mut args = vec!["rev-list", "--parents"];
        args.extend(tips.iter().map(String::as_str));
        args.extend(["--not", "--branches", "--tags", "--remotes"]);
        args.extend(self.0.head(top)?.map(|_| "HEAD"));
        args.push("--");
        let lines = self.0.line(top, &args)?;
        let parents: BTreeSet<&str> = lines.lines().flat_map(|line| line.split(' ').skip(1)).collect();
        let commits = lines.lines().filter_map(|line| line.split(' ').next());
        let last = commits.filter(|commit| !commit.is_empty() && !parents.contains(commit));
        self.grouped(top, last.map(str::to_owned).collect())
    }

    /// Returns the commits themselves, or commits that have a part of them as parents each.
    fn grouped(&self, top: &Path, commits: Vec<String>) -> Result<Vec<String>, GitError> {
        if commits.len() <= MAX_PARENTS {
            return Ok(commits);
        }
        let group = |part: &[String]| {
            self.write(top, &Objects(self.0).tree_of(top, &part[0])?, "commits of the reflog", part)
        };
        commits.chunks(MAX_PARENTS).map(group).collect()
    }

    /// Returns whether a branch or a remote has the commit, so that it outlives the worktree.
    fn is_on_a_branch(&self, top: &Path, head: Option<&str>) -> Result<bool, GitError> {
        let Some(head) = head else { return Ok(true) };
        let args = ["rev-list", "--count", head, "--not", "--branches", "--remotes", "--"];
        Ok(self.0.line(top, &args)? == "0")
    }

    /// Deletes the refs below a prefix whose commits were made before a time.
    pub fn delete_before(&self, repository: &Path, prefix: &str, before: Timestamp) -> Result<(), GitError> {
        let args = ["for-each-ref", "--format=%(creatordate:unix) %(refname)", prefix];
        let output = self.0.output(repository, &[super::submodules::INSIDE_GIT.to_owned()], &args)?;
        for line in String::from_utf8_lossy(&output).lines() {
            let Some((made, name)) = line.split_once(' ') else { continue };
            if made.parse::<i64>().is_ok_and(|made| made <= before.as_second()) {
                let inside = [super::submodules::INSIDE_GIT.to_owned()];
                self.0.output(repository, &inside, &["update-ref", "-d", name])?;
            }
        }
        Ok(())
    }
}

fn failed(what: &str, output: &str) -> GitError {
    GitError::Failed { what: what.to_owned(), output: output.to_owned() }
}

#[cfg(test)]
mod tests;
