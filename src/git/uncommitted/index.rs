//! The index of a working tree: its tree, its conflicts, and the marks in it that hide changes of files.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::super::command::{CommandInput, Git, GitError};
use super::super::git_dir;
use super::changes::WITHOUT_SPARSE_CHECKOUT;
use super::patches::copy_of_index;

/// Reads the index of a working tree, and clears the marks in it that hide changes.
#[derive(Debug, Clone, Copy)]
pub struct Index<'a>(pub &'a Git);

impl Index<'_> {
    /// Writes the tree of the index, or returns `None` if the index has conflicts.
    pub(in crate::git) fn write_tree(&self, top: &Path, scratch: &Path) -> Result<Option<String>, GitError> {
        let copy = scratch.join("staged");
        let own = git_dir(top).map(|dir| dir.join("index"));
        let _ = fs::remove_file(&copy);
        own.map_or(Ok(()), |own| copy_of_index(&own, &copy)).map_err(|error| failed("write-tree", &error))?;
        match self.0.output_with_input(
            top,
            &[],
            &["write-tree"],
            CommandInput { input: None, index: Some(&copy) },
        ) {
            Ok(tree) => Ok(Some(String::from_utf8_lossy(&tree).trim().to_owned())),
            Err(error) if !self.has_conflicts(top)? => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns whether the index has conflicts of a merge or rebase.
    pub fn has_conflicts(&self, top: &Path) -> Result<bool, GitError> {
        Ok(!self.0.output(top, &[], &["ls-files", "--unmerged", "-z"])?.is_empty())
    }

    /// Returns the paths with conflicts in the index of a working tree.
    pub fn unmerged_paths(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let output = self.0.output(top, &[], &["ls-files", "--unmerged", "-z"])?;
        let text = String::from_utf8_lossy(&output).into_owned();
        let mut paths: Vec<String> =
            text.split('\0').filter_map(|entry| Some(entry.split_once('\t')?.1.to_owned())).collect();
        paths.dedup();
        Ok(paths)
    }

    /// Makes the changes visible that a copy of the index hides. `scratch` is a directory for temporary files.
    pub(in crate::git) fn unhide_changes(
        &self,
        top: &Path,
        index: &Path,
        scratch: &Path,
    ) -> Result<(), GitError> {
        let marked = self.list(top)?.marked;
        self.clear_marks(top, &marked, (index, scratch))
    }

    /// Clears the marks in the index of a linked worktree that hide changes.
    pub(in crate::git) fn clear_own_marks(&self, top: &Path) -> Result<(), GitError> {
        let (marked, own) = (self.list(top)?.marked, git_dir(top));
        let Some(own) = own.filter(|_| !marked.is_empty()) else { return Ok(()) };
        let scratch = tempfile::tempdir().map_err(|error| failed("update-index", &error))?;
        self.clear_marks(top, &marked, (&own.join("index"), scratch.path()))
    }

    /// Replaces entries of an index by entries without marks. They also lack the size and time of their files, so git
    /// compares the content.
    pub(in crate::git) fn clear_marks(
        &self,
        top: &Path,
        marked: &[u8],
        (index, scratch): (&Path, &Path),
    ) -> Result<(), GitError> {
        if marked.is_empty() {
            return Ok(());
        }
        let list = scratch.join("marked");
        fs::write(&list, marked).map_err(|error| failed("update-index", &error))?;
        let input = Some(File::open(&list).map_err(|error| failed("update-index", &error))?);
        // With this setting, git would mark the new entries again.
        let configs = [WITHOUT_SPARSE_CHECKOUT.to_owned(), "core.ignoreStat=false".to_owned()];
        let also = CommandInput { input, index: Some(index) };
        self.0.output_with_input(top, &configs, &["update-index", "-z", "--index-info"], also).map(drop)
    }
}

fn failed(what: &str, error: &io::Error) -> GitError {
    GitError::Failed { what: what.to_owned(), output: error.to_string() }
}
