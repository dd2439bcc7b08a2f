//! Brings the files and the index of a checkpoint back. HEAD and the branches stay as they are.

use std::path::Path;

use super::super::command::{CommandInput, GitError};
use super::super::review::TreePair;
use super::CheckpointStore;

impl CheckpointStore<'_> {
    /// Changes the files of a working tree from the tree `trees.from`, which `scratch` has the index of, to `trees.to`.
    ///
    /// git checks all files before it writes the first one. It refuses to overwrite a file that differs from
    /// `trees.from`, such as one that was left out of it or was changed in the meantime.
    pub fn restore_files(&self, top: &Path, scratch: &Path, trees: TreePair<'_>) -> Result<(), GitError> {
        let index = scratch.join("index");
        let args = ["read-tree", "-m", "-u", "--no-recurse-submodules", trees.from, trees.to];
        self.0.output_with_input(top, &[], &args, CommandInput { input: None, index: Some(&index) }).map(drop)
    }

    /// Replaces the index by a tree. The files of the working tree stay as they are.
    pub fn restore_index(&self, top: &Path, tree: &str) -> Result<(), GitError> {
        self.0.output(top, &[], &["read-tree", "--reset", "--no-recurse-submodules", tree]).map(drop)
    }
}
