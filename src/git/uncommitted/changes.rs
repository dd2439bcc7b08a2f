//! The uncommitted changes of a working tree, also those that the index of a linked worktree hides because files are
//! marked as `assume-unchanged` or `skip-worktree`.
//!
//! An agent may set these marks, so a copy of the index without them is used where changes must not be missed. In a
//! main working tree the marks are the user's own choice and are respected.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::command::{CommandInput, Git, GitError};
use super::super::filters::Filters;
use super::super::git_dir;
use super::super::history::is_in_repository;
use super::super::submodules::Gitlinks;
use super::Index;
use super::patches::copy_of_index;
use crate::model::{ChangeKind, ChangedFile, UncommittedWork};

/// Options of `git status` that list every changed and untracked file, without those in submodules.
const STATUS: [&str; 6] =
    ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"];

/// Makes git treat the files of a sparse checkout like those of any other one.
pub(in crate::git) const WITHOUT_SPARSE_CHECKOUT: &str = "core.sparseCheckout=false";

/// Lists the uncommitted changes of a working tree.
#[derive(Debug, Clone, Copy)]
pub struct WorkingTreeChanges<'a>(pub &'a Git);

impl WorkingTreeChanges<'_> {
    /// Returns the changed and untracked files of a tree as `git status` reports them, without those in submodules.
    pub fn list(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        Ok(changed_files(&self.0.output(top, &[], &STATUS)?))
    }

    /// Returns the ignored files of a tree. A directory with ignored files only is listed as one path that ends with a
    /// slash.
    pub fn list_ignored(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let output = self.0.output(top, &[], &args)?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Returns the same files as [`WorkingTreeChanges::list`], those whose changes the index hides, and submodules with another
    /// commit than the one in HEAD.
    pub fn list_all(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let mut changed = self.list_with_hidden(top)?;
        for submodule in Gitlinks(self.0).uncommitted(top)? {
            // The directory of a submodule may have been replaced by a file.
            if !changed.iter().any(|file| file.path == submodule.path) {
                changed.push(submodule);
            }
        }
        Ok(changed)
    }

    fn list_with_hidden(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let marked = Index(self.0).list(top)?.marked;
        let Some(own) = git_dir(top).filter(|_| !marked.is_empty()) else { return self.list(top) };
        let scratch = tempfile::tempdir().map_err(|error| failed(&error))?;
        let index = scratch.path().join("index");
        copy_of_index(&own.join("index"), &index).map_err(|error| failed(&error))?;
        Index(self.0).clear_marks(top, &marked, (&index, scratch.path()))?;
        let also = CommandInput { input: None, index: Some(&index) };
        Ok(changed_files(&self.0.output_with_input(top, &[], &STATUS, also)?))
    }

    /// Returns the changed files of a tree whose changes the index hides. In a main working tree, these are files that the
    /// user excluded from comparisons.
    pub fn list_hidden(&self, top: &Path) -> Result<Vec<PathBuf>, GitError> {
        let marked = Index(self.0).list_with_marks(top)?.marked;
        let Some(own) = git_dir(top).filter(|_| !marked.is_empty()) else { return Ok(Vec::new()) };
        let scratch = tempfile::tempdir().map_err(|error| failed(&error))?;
        let index = scratch.path().join("index");
        copy_of_index(&own.join("index"), &index).map_err(|error| failed(&error))?;
        Index(self.0).clear_marks(top, &marked, (&index, scratch.path()))?;
        let with = || CommandInput { input: None, index: Some(&index) };
        // The entries without marks lack the times of their files. The refresh returns an error if files differ.
        let _ = self.0.output_with_input(top, &[], &["update-index", "-q", "--refresh"], with());
        let args = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
        let output = self.0.output_with_input(top, &[], &args, with())?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| OsStr::from_bytes(path).into()).collect())
    }

    /// Returns the uncommitted changes in the working tree around a directory.
    pub fn summary(&self, dir: &Path) -> Result<Option<UncommittedWork>, GitError> {
        if !is_in_repository(dir) {
            return Ok(None);
        }
        let no_filters = Filters(self.0).all_off(dir)?;
        let plain = ["-z", "--ignore-submodules=all", "--no-renames"];
        let status = [&["status", "--porcelain=v1", "--untracked-files=normal"][..], &plain].concat();
        let files = changed_files(&self.0.output(dir, &no_filters, &status)?);
        let numbers = [&["diff", "--numstat", "--no-ext-diff", "--no-textconv"][..], &plain].concat();
        let against_head = [&numbers[..], &["HEAD", "--"]].concat();
        let counted = match self.0.output(dir, &no_filters, &against_head) {
            // There is no commit yet to compare with.
            Err(GitError::Failed { .. }) => self.0.output(dir, &no_filters, &numbers)?,
            counted => counted?,
        };
        let (insertions, deletions) = lines(&counted);
        Ok(Some(UncommittedWork { files, insertions, deletions }))
    }

    /// Returns the directories that git does not search because they are repositories, without submodules.
    pub fn repositories_below(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let args = ["ls-files", "--others", "--exclude-standard", "-z"];
        self.0.stream(top, &[], &args, |output| {
            let mut found = Vec::new();
            for path in BufReader::new(output).split(0) {
                let path = path.map_err(|error| GitError::Failed {
                    what: "diff".to_owned(),
                    output: error.to_string(),
                })?;
                // Among the untracked entries, only repositories are listed as directories without their content.
                found.extend(path.strip_suffix(b"/").map(|path| String::from_utf8_lossy(path).into_owned()));
            }
            Ok(found)
        })
    }
}

/// Parses records of two status letters, a space and a path that are terminated by NUL.
fn changed_files(output: &[u8]) -> Vec<ChangedFile> {
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

fn failed(error: &std::io::Error) -> GitError {
    GitError::Failed { what: "update-index".to_owned(), output: error.to_string() }
}
