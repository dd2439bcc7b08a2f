//! Changes that the index of a linked worktree hides: files that are marked as `assume-unchanged` or `skip-worktree`.
//!
//! An agent may set these marks, so a copy of the index without them is used where changes must not be missed. In a
//! main working tree the marks are the user's own choice and are respected.

mod listing;

use std::fs::{self, File};
use std::path::Path;

use super::command::{CommandInput, Git, GitError};
use super::git_dir;
use super::history::changed_files;
use super::uncommitted::copy_of_index;
use crate::model::ChangedFile;
pub(super) use listing::{GITLINK, TreeListing};

/// Options of `git status` that list every changed and untracked file, without those in submodules.
const STATUS: [&str; 6] =
    ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"];

/// Makes git treat the files of a sparse checkout like those of any other one.
pub(super) const WITHOUT_SPARSE_CHECKOUT: &str = "core.sparseCheckout=false";

impl Git {
    /// Returns the changed and untracked files of a tree as `git status` reports them, without those in submodules.
    pub fn uncommitted(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        Ok(changed_files(&self.output(top, &[], &STATUS)?))
    }

    /// Returns the ignored files of a tree. A directory with ignored files only is listed as one path that ends with a
    /// slash.
    pub fn ignored(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let output = self.output(top, &[], &args)?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Returns the same files as [`Git::uncommitted`], those whose changes the index hides, and submodules with another
    /// commit than the one in HEAD.
    pub fn all_uncommitted(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let mut changed = self.with_hidden_changes(top)?;
        for submodule in self.uncommitted_gitlinks(top)? {
            // The directory of a submodule may have been replaced by a file.
            if !changed.iter().any(|file| file.path == submodule.path) {
                changed.push(submodule);
            }
        }
        Ok(changed)
    }

    fn with_hidden_changes(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let marked = self.list_index(top)?.marked;
        let Some(own) = git_dir(top).filter(|_| !marked.is_empty()) else { return self.uncommitted(top) };
        let scratch = tempfile::tempdir().map_err(|error| failed(&error))?;
        let index = scratch.path().join("index");
        copy_of_index(&own.join("index"), &index).map_err(|error| failed(&error))?;
        self.clear_marks(top, &marked, (&index, scratch.path()))?;
        let also = CommandInput { input: None, index: Some(&index) };
        Ok(changed_files(&self.output_with_input(top, &[], &STATUS, also)?))
    }

    /// Makes the changes visible that a copy of the index hides. `scratch` is a directory for temporary files.
    pub(super) fn unhide_changes(&self, top: &Path, index: &Path, scratch: &Path) -> Result<(), GitError> {
        let marked = self.list_index(top)?.marked;
        self.clear_marks(top, &marked, (index, scratch))
    }

    /// Clears the marks in the index of a linked worktree that hide changes.
    pub(super) fn clear_own_marks(&self, top: &Path) -> Result<(), GitError> {
        let (marked, own) = (self.list_index(top)?.marked, git_dir(top));
        let Some(own) = own.filter(|_| !marked.is_empty()) else { return Ok(()) };
        let scratch = tempfile::tempdir().map_err(|error| failed(&error))?;
        self.clear_marks(top, &marked, (&own.join("index"), scratch.path()))
    }

    /// Replaces entries of an index by entries without marks. They also lack the size and time of their files, so git
    /// compares the content.
    pub(super) fn clear_marks(
        &self,
        top: &Path,
        marked: &[u8],
        (index, scratch): (&Path, &Path),
    ) -> Result<(), GitError> {
        if marked.is_empty() {
            return Ok(());
        }
        let list = scratch.join("marked");
        fs::write(&list, marked).map_err(|error| failed(&error))?;
        let input = Some(File::open(&list).map_err(|error| failed(&error))?);
        // With this setting, git would mark the new entries again.
        let configs = [WITHOUT_SPARSE_CHECKOUT.to_owned(), "core.ignoreStat=false".to_owned()];
        let also = CommandInput { input, index: Some(index) };
        self.output_with_input(top, &configs, &["update-index", "-z", "--index-info"], also).map(drop)
    }
}

fn failed(error: &std::io::Error) -> GitError {
    GitError::Failed { what: "update-index".to_owned(), output: error.to_string() }
}
