//! The commits and uncommitted changes of a repository, as git reports them. This starts git, so it is used for a recap
//! and never for a list.
//!
//! For a directory outside of a repository, the result is `None` and not an error.

use std::path::Path;

use jiff::Timestamp;

use super::command::{Git, GitError};
use super::project;
use crate::model::{ChangeKind, ChangedFile, Commit, UncommittedWork};

impl Git {
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
        match self.output(dir, &[], &args) {
            Ok(output) => Ok(Some(commits(&output))),
            Err(GitError::Failed { output, .. }) if output.contains("does not have any commits yet") => {
                Ok(Some(Vec::new()))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the uncommitted changes in the working tree around a directory.
    pub fn changes(&self, dir: &Path) -> Result<Option<UncommittedWork>, GitError> {
        if !is_in_repository(dir) {
            return Ok(None);
        }
        let no_filters = self.filters_off(dir)?;
        let plain = ["-z", "--ignore-submodules=all", "--no-renames"];
        let status = [&["status", "--porcelain=v1", "--untracked-files=normal"][..], &plain].concat();
        let files = changed_files(&self.output(dir, &no_filters, &status)?);
        let numbers = [&["diff", "--numstat", "--no-ext-diff", "--no-textconv"][..], &plain].concat();
        let against_head = [&numbers[..], &["HEAD", "--"]].concat();
        let counted = match self.output(dir, &no_filters, &against_head) {
            // There is no commit yet to compare with.
            Err(GitError::Failed { .. }) => self.output(dir, &no_filters, &numbers)?,
            counted => counted?,
        };
        let (insertions, deletions) = lines(&counted);
        Ok(Some(UncommittedWork { files, insertions, deletions }))
    }
}

fn is_in_repository(dir: &Path) -> bool {
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

/// Parses records of two status letters, a space and a path that are terminated by NUL.
pub(super) fn changed_files(output: &[u8]) -> Vec<ChangedFile> {
    let records = output.split(|byte| *byte == 0).filter(|record| record.len() > 3);
    records
        .map(|record| {
            let (index, tree) = (record[0], record[1]);
            let kind = match (index, tree) {
                (b'?', _) => ChangeKind::Untracked,
                (b'U', _) | (_, b'U') | (b'A', b'A') | (b'D', b'D') => ChangeKind::Conflicted,
                (b'D', _) | (_, b'D') => ChangeKind::Deleted,
                (b'A', _) | (_, b'A') => ChangeKind::Added,
                _ => ChangeKind::Modified,
            };
            ChangedFile { kind, path: String::from_utf8_lossy(&record[3..]).into_owned() }
        })
        .collect()
}

/// Sums up records of `added TAB removed TAB path`; a dash stands for a binary file.
fn lines(output: &[u8]) -> (u64, u64) {
    let text = String::from_utf8_lossy(output);
    let mut sums = (0u64, 0u64);
    for record in text.split('\0') {
        let mut numbers = record.split('\t').map(|number| number.parse::<u64>().unwrap_or_default());
        let (added, removed) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        sums = (sums.0.saturating_add(added), sums.1.saturating_add(removed));
    }
    sums
}

#[cfg(test)]
mod tests;
