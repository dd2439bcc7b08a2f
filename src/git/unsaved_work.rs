//! Finds work that exists only in a working tree: uncommitted changes, commits that no remote and no other branch has,
//! and stashes. This starts git, so it is used for one agent on request and never for every list.

use std::path::{Path, PathBuf};

use super::command::{Git, GitError};
use super::history::commits;
use super::{branch, project};
use crate::model::{ChangedFile, Commit, WorktreeState};

/// The upstream of the branch that is checked out.
pub const UPSTREAM: &str = "@{upstream}";

impl Git {
    /// Returns the unsaved work in a tree and its submodules, or `None` outside of a repository. `born_on` is the
    /// branch that the tree was created for.
    pub fn work(&self, top: &Path, born_on: Option<&str>) -> Result<Option<WorktreeState>, GitError> {
        if !top.is_dir() || project(top).is_none() {
            return Ok(None);
        }
        let mut work = WorktreeState {
            changed: self.all_uncommitted(top)?,
            commits: self.commits_nowhere_else(top, born_on)?,
            stashes: self.stashes(top, born_on)?,
        };
        for path in self.submodule_paths(top)? {
            let Some(inside) = self.submodule_work(top, &path)? else { continue };
            let place = path.to_string_lossy();
            let files = inside.changed.into_iter();
            work.changed
                .extend(files.map(|file| ChangedFile { path: format!("{place}/{}", file.path), ..file }));
            work.commits += inside.commits;
            work.stashes += inside.stashes;
        }
        Ok(Some(work))
    }

    /// Returns the unsaved work in each submodule of a tree.
    pub fn work_in_submodules(&self, top: &Path) -> Result<Vec<(PathBuf, WorktreeState)>, GitError> {
        let mut found = Vec::new();
        for path in self.submodule_paths(top)? {
            found.extend(self.submodule_work(top, &path)?.map(|work| (path, work)));
        }
        Ok(found)
    }

    fn submodule_work(&self, top: &Path, path: &Path) -> Result<Option<WorktreeState>, GitError> {
        let at = top.join(path);
        // A submodule that was never checked out is an empty directory; git would use the repository around it.
        if !at.join(".git").exists() {
            return Ok(None);
        }
        let mut work = self.work(&at, None)?.unwrap_or_default();
        if self.is_deleted_with(top, &at) {
            (work.commits, work.stashes) = (self.local_commits(&at)?, 0);
        }
        Ok(Some(work))
    }

    /// Returns how many commits the tree has that `base` lacks, and how many `base` has that the tree lacks. Returns `None`
    /// if `base` is no commit.
    pub fn ahead_and_behind(&self, top: &Path, base: &str) -> Result<Option<(u64, u64)>, GitError> {
        if self.commit(top, base)?.is_none() {
            return Ok(None);
        }
        let range = format!("{base}...HEAD");
        let counts = self.output(top, &[], &["rev-list", "--left-right", "--count", &range])?;
        let counts = String::from_utf8_lossy(&counts);
        let mut numbers = counts.split_whitespace().map(str::parse::<u64>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(behind)), Some(Ok(ahead))) => Ok(Some((ahead, behind))),
            _ => Ok(None),
        }
    }

    /// Returns whether the branch that is checked out has an upstream that exists.
    pub fn has_upstream(&self, top: &Path) -> bool {
        // git reports an error if no upstream is configured, and nothing if it does not exist.
        self.commit(top, UPSTREAM).is_ok_and(|commit| commit.is_some())
    }

    fn commits_nowhere_else(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        match self.range_nowhere_else(top, born_on)? {
            Some(range) => {
                self.count(top, &[vec!["rev-list".to_owned(), "--count".to_owned()], range].concat())
            }
            None => Ok(0),
        }
    }

    /// Returns the commits of a tree that no remote and no other branch has, the newest first.
    pub fn unsaved_commits(
        &self,
        top: &Path,
        born_on: Option<&str>,
        at_most: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let Some(range) = self.range_nowhere_else(top, born_on)? else { return Ok(Vec::new()) };
        let most = format!("--max-count={at_most}");
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let range: Vec<&str> = range.iter().map(String::as_str).collect();
        let args = [&["log", "-z", "--format=%h%x00%ct%x00%s", &most][..], &quiet, &range].concat();
        Ok(commits(&self.output(top, &[], &args)?))
    }

    /// Returns the arguments that select the commits of a tree that exist nowhere else, or `None` before the first
    /// commit.
    fn range_nowhere_else(&self, top: &Path, born_on: Option<&str>) -> Result<Option<Vec<String>>, GitError> {
        if self.commit(top, "HEAD")?.is_none() {
            return Ok(None);
        }
        let mut own: Vec<String> = branch(top).into_iter().collect();
        own.extend(born_on.filter(|born_on| own.first().is_none_or(|now| now != born_on)).map(str::to_owned));
        let mut args = vec!["HEAD".to_owned()];
        for name in own.iter().map(|name| format!("refs/heads/{name}")) {
            if self.commit(top, &name)?.is_some() {
                args.push(name);
            }
        }
        args.push("--not".to_owned());
        args.extend(own.iter().map(|name| format!("--exclude={name}")));
        args.extend(["--branches", "--remotes"].map(str::to_owned));
        Ok(Some(args))
    }

    /// Returns the number of commits on a branch that no remote, no other branch and no HEAD in this tree has.
    pub(super) fn own_commits(&self, dir: &Path, branch: &str) -> Result<u64, GitError> {
        let (name, but) = (format!("refs/heads/{branch}"), format!("--exclude={branch}"));
        let args = ["rev-list", "--count", &name, "--not", &but, "--branches", "--remotes", "HEAD"];
        self.count(dir, &args.map(str::to_owned))
    }

    fn count(&self, dir: &Path, args: &[String]) -> Result<u64, GitError> {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = self.output(dir, &[], &args)?;
        let output = String::from_utf8_lossy(&output);
        output.trim().parse().map_err(|_| GitError::Failed {
            what: "rev-list".to_owned(),
            output: format!("`{}` is not a number", output.trim()),
        })
    }

    /// Returns the number of stashes that belong to the tree's branch. All worktrees of a repository share its stashes,
    /// and each stash names the branch on which it was made.
    fn stashes(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        let Some(branch) = born_on.map(str::to_owned).or_else(|| branch(top)) else { return Ok(0) };
        let output = self.output(top, &[], &["stash", "list", "-z", "--format=%gs"])?;
        let marks = [format!("WIP on {branch}: "), format!("On {branch}: ")];
        let is_own = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
        Ok(String::from_utf8_lossy(&output).split('\0').filter(is_own).count() as u64)
    }

    /// Returns the commit that is checked out, or `None` before the first commit.
    pub fn head(&self, dir: &Path) -> Result<Option<String>, GitError> {
        self.commit(dir, "HEAD")
    }

    /// Returns the commit that a name refers to, or `None` if there is none.
    pub(super) fn commit(&self, dir: &Path, name: &str) -> Result<Option<String>, GitError> {
        let named = format!("{name}^{{commit}}");
        match self.output(dir, &[], &["rev-parse", "--verify", "--quiet", &named]) {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::testing::Repository;

    #[test]
    fn commits_on_both_sides_are_counted() {
        let repository = Repository::new();
        let (top, git) = (repository.top(), repository.ours());
        repository.commit("base");
        repository.git(&["checkout", "-q", "-b", "fix"]);
        assert!(!git.has_upstream(&top));
        repository.commit("one");
        repository.git(&["checkout", "-q", "main"]);
        repository.commit("two");
        repository.commit("three");
        repository.git(&["checkout", "-q", "fix"]);
        assert_eq!(git.ahead_and_behind(&top, "main").unwrap(), Some((1, 2)));
        assert_eq!(git.ahead_and_behind(&top, "no-such").unwrap(), None);
        repository.git(&["branch", "-q", "upstream", "fix"]);
        repository.git(&["branch", "-q", "--set-upstream-to=upstream"]);
        assert!(git.has_upstream(&top));
        assert_eq!(git.ahead_and_behind(&top, UPSTREAM).unwrap(), Some((0, 0)));
    }
}
