//! The commits of a repository and their order, as git reports them. This starts git, so it is used on request and never
//! for every list.
//!
//! For a directory outside of a repository, `commits_since` returns `None` and not an error.

use std::path::Path;

use jiff::Timestamp;

use super::branches::Branches;
use super::command::{Git, GitError};
use super::project;
use super::review::TreePair;
use crate::model::Commit;

/// Reads the commits of a repository and their order.
#[derive(Debug, Clone, Copy)]
pub struct History<'a>(pub &'a Git);

impl History<'_> {
    /// Returns the commits on the current branch since a time, newest first.
    pub fn commits_since(
        &self,
        dir: &Path,
        since: Timestamp,
        at_most: usize,
    ) -> Result<Option<Vec<Commit>>, GitError> {
        if !is_in_repository(dir) {
            return Ok(None);
        }
        let since = format!("--since={} +0000", since.as_second());
        let most = format!("--max-count={at_most}");
        let format = "--format=%h%x00%ct%x00%s";
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let args = [&["log", "-z", format, &since, &most][..], &quiet].concat();
        match self.0.output(dir, &[], &args) {
            Ok(output) => Ok(Some(commits(&output))),
            Err(GitError::Failed { output, .. }) if output.contains("does not have any commits yet") => {
                Ok(Some(Vec::new()))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether a repository has at least one of these commits.
    pub fn has_any(&self, dir: &Path, commits: &[String]) -> Result<bool, GitError> {
        for commit in commits {
            if self.0.commit(dir, commit)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the messages of the commits in `to` that `from` lacks, the oldest first. Merge commits are left out.
    pub fn messages_between(&self, dir: &Path, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let range = format!("{from}..{to}");
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let args =
            [&["log", "-z", "--reverse", "--no-merges", "--format=%B"][..], &quiet, &[&range, "--"]].concat();
        let output = self.0.output(dir, &[], &args)?;
        let text = String::from_utf8_lossy(&output).into_owned();
        Ok(text.split('\0').map(str::trim_end).filter(|text| !text.is_empty()).map(str::to_owned).collect())
    }

    /// Returns whether a commit in `to` that `from` lacks is a merge commit.
    pub fn has_merges(&self, dir: &Path, from: &str, to: &str) -> Result<bool, GitError> {
        let range = format!("{from}..{to}");
        Ok(self.0.line(dir, &["rev-list", "--count", "--merges", &range, "--"])? != "0")
    }

    /// Returns whether a commit is contained in the history of another one.
    pub fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
        let args = ["merge-base", "--is-ancestor", ancestor, descendant];
        Ok(self.0.output_with_exit_codes(dir, &[], &args, &[0, 1])?.0 == 0)
    }

    /// Returns the number of commits on a branch that none of these commits contains; 0 if there is no such branch.
    pub fn count_outside(&self, dir: &Path, branch: &str, commits: &[&str]) -> Result<u64, GitError> {
        let Some(tip) = Branches(self.0).tip(dir, branch)? else { return Ok(0) };
        self.count(dir, &[&[&tip, "--not"][..], commits, &["--"]].concat())
    }

    /// Returns the number of commits in `to` that `from` lacks.
    pub fn count_between(&self, dir: &Path, from: &str, to: &str) -> Result<u64, GitError> {
        self.count(dir, &[&format!("{from}..{to}"), "--"])
    }

    /// Returns the number of commits that these arguments of `git rev-list` select.
    pub(super) fn count(&self, dir: &Path, selection: &[&str]) -> Result<u64, GitError> {
        let count = self.0.line(dir, &[&["rev-list", "--count"][..], selection].concat())?;
        count.parse().map_err(|_| GitError::Failed {
            what: "rev-list".to_owned(),
            output: format!("`{count}` is not a number"),
        })
    }

    /// Returns the commit that HEAD referred to at a time, in seconds, as far as the reflog goes back.
    pub fn head_at(&self, dir: &Path, seconds: i64) -> Result<Option<String>, GitError> {
        let args = ["log", "--walk-reflogs", "--format=%H %gd", "--date=unix", "HEAD", "--"];
        let output = match self.0.output(dir, &[], &args) {
            Ok(output) => output,
            Err(GitError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&output).into_owned();
        let entries = text.lines().filter_map(|line| {
            let (commit, selector) = line.split_once(' ')?;
            let at: i64 = selector.strip_suffix('}')?.rsplit_once('{')?.1.parse().ok()?;
            Some((commit.to_owned(), at))
        });
        Ok(entries.into_iter().find(|(_, at)| *at <= seconds).map(|(commit, _)| commit))
    }

    /// Returns the commits that are in `to` and not in `from`, newest first.
    pub fn commits_between(&self, top: &Path, trees: TreePair<'_>) -> Result<Vec<Commit>, GitError> {
        let range = format!("{}..{}", trees.from, trees.to);
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let args = [&["log", "-z", "--format=%h%x00%ct%x00%s"][..], &quiet, &[&range, "--"]].concat();
        Ok(commits(&self.0.output(top, &[], &args)?))
    }

    /// Returns how many commits the tree has that `base` lacks, and how many `base` has that the tree lacks. Returns `None`
    /// if `base` is no commit.
    pub fn ahead_and_behind(&self, top: &Path, base: &str) -> Result<Option<(u64, u64)>, GitError> {
        if self.0.commit(top, base)?.is_none() {
            return Ok(None);
        }
        let range = format!("{base}...HEAD");
        let counts = self.0.output(top, &[], &["rev-list", "--left-right", "--count", &range, "--"])?;
        let counts = String::from_utf8_lossy(&counts);
        let mut numbers = counts.split_whitespace().map(str::parse::<u64>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(behind)), Some(Ok(ahead))) => Ok(Some((ahead, behind))),
            _ => Ok(None),
        }
    }
}

pub(super) fn is_in_repository(dir: &Path) -> bool {
    dir.is_dir() && project(dir).is_some()
}

/// Parses records of `id, seconds, subject` that are terminated by NUL, and skips incomplete records.
pub(super) fn commits(output: &[u8]) -> Vec<Commit> {
    let text = String::from_utf8_lossy(output);
    let fields: Vec<&str> = text.split('\0').collect();
    fields
        .chunks_exact(3)
        .filter_map(|field| {
            let at = Timestamp::from_second(field[1].parse().ok()?).ok()?;
            Some(Commit { id: field[0].to_owned(), subject: field[2].to_owned(), at })
        })
        .collect()
}

#[cfg(test)]
mod tests;
