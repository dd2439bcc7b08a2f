//! Reads trees and files from the objects of a repository.

use std::path::Path;

use super::command::{Git, GitError};

/// Reads trees and files from the objects of a repository.
#[derive(Debug, Clone, Copy)]
pub struct Objects<'a>(pub &'a Git);

impl Objects<'_> {
    fn tree_entry(&self, top: &Path, tree: &str, path: &Path) -> Option<String> {
        let name = format!("{tree}:{}", path.display());
        self.0.line(top, &["rev-parse", "--verify", "--quiet", &name]).ok().filter(|id| !id.is_empty())
    }

    /// Returns the content of a file in a commit, or `None` if the commit does not have it.
    pub fn file_at(&self, dir: &Path, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        if self.tree_entry(dir, commit, Path::new(path)).is_none() {
            return Ok(None);
        }
        self.0.output(dir, &[], &["cat-file", "blob", &format!("{commit}:{path}")]).map(Some)
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, dir: &Path, commit: &str) -> Result<String, GitError> {
        self.0.line(dir, &["rev-parse", "--verify", &format!("{commit}^{{tree}}")])
    }

    /// Returns the id of a file in a tree or commit, or `None` if there is no such path.
    pub fn blob_at(&self, top: &Path, tree: &str, path: &str) -> Result<Option<String>, GitError> {
        // `TREE:` means the tree itself.
        if path.is_empty() {
            return Ok(None);
        }
        let name = format!("{tree}:{path}");
        match self.0.line(top, &["rev-parse", "--quiet", "--verify", &name]) {
            Ok(id) => Ok(Some(id)),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the content of a file, or `None` if the object is no file.
    pub fn blob(&self, top: &Path, id: &str) -> Result<Option<Vec<u8>>, GitError> {
        if self.0.line(top, &["cat-file", "-t", id])? != "blob" {
            return Ok(None);
        }
        self.0.output(top, &[], &["cat-file", "blob", id]).map(Some)
    }

    /// Returns the id of the empty tree, which every repository has.
    pub fn empty_tree(&self, top: &Path) -> Result<String, GitError> {
        self.0.line(top, &["hash-object", "-t", "tree", "/dev/null"])
    }
}
