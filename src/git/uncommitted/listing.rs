//! Lists the index and the changes of a working tree with one git process.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::command::GitError;
use super::super::is_linked;
use super::Index;
use super::changes::WITHOUT_SPARSE_CHECKOUT;

/// Mode of a submodule in a tree or index.
pub(in crate::git) const GITLINK: &str = "160000";

/// Report of git about the index and the files of a working tree.
#[derive(Debug, Default)]
pub struct TreeListing {
    /// Changed, deleted and untracked files with their sizes. Directories that are repositories of their own end with a
    /// slash. Empty if only the index was listed.
    pub changed: Vec<(String, u64)>,
    /// The index entries with a mark that may hide a change, each followed by a NUL byte. In a main working tree the
    /// marks are the user's own choice, and only [`Index::list_with_marks`] returns them.
    pub(in crate::git) marked: Vec<u8>,
    /// The index entries of submodules, as `git ls-files --stage` prints them.
    pub(in crate::git) gitlinks: Vec<String>,
}

impl Index<'_> {
    /// Lists the index of a working tree.
    pub(in crate::git) fn list(&self, top: &Path) -> Result<TreeListing, GitError> {
        self.list_with(top, &[])
    }

    /// Lists the index of a working tree, and its changed, deleted and untracked files.
    pub fn list_changes(&self, top: &Path) -> Result<TreeListing, GitError> {
        self.list_with(top, &["--others", "--modified", "--exclude-standard"])
    }

    /// Lists the index of a working tree with its marks, which are those of the user in a main working tree.
    pub(in crate::git) fn list_with_marks(&self, top: &Path) -> Result<TreeListing, GitError> {
        // In a sparse checkout, git would not report the marks of files that exist.
        self.listing(top, &[WITHOUT_SPARSE_CHECKOUT.to_owned()], &[])
    }

    fn list_with(&self, top: &Path, options: &[&str]) -> Result<TreeListing, GitError> {
        if is_linked(top) {
            return self.listing(top, &[WITHOUT_SPARSE_CHECKOUT.to_owned()], options);
        }
        Ok(TreeListing { marked: Vec::new(), ..self.listing(top, &[], options)? })
    }

    fn listing(&self, top: &Path, configs: &[String], options: &[&str]) -> Result<TreeListing, GitError> {
        let args = [&["ls-files", "-v", "--stage", "-z"][..], options].concat();
        self.0.stream(top, configs, &args, |output| {
            let mut listing = TreeListing::default();
            for line in BufReader::new(output).split(0) {
                let line = line.map_err(|error| failed(&error))?;
                listing.add(top, &line);
            }
            Ok(listing)
        })
    }
}

impl TreeListing {
    /// Adds a line such as `H 100644 ID 0<tab>PATH` or `? PATH`.
    fn add(&mut self, top: &Path, line: &[u8]) {
        let [tag, b' ', entry @ ..] = line else { return };
        if *tag == b'?' {
            return self.add_change(top, entry);
        }
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { return };
        let path = &entry[tab + 1..];
        let is_hidden = match tag {
            b'C' => return self.add_change(top, path),
            // A sparse checkout marks files that do not exist. They are not deleted.
            b'S' | b's' => fs::symlink_metadata(top.join(OsStr::from_bytes(path))).is_ok(),
            tag => tag.is_ascii_lowercase(),
        };
        if is_hidden {
            self.marked.extend_from_slice(entry);
            self.marked.push(0);
        }
        if entry.starts_with(GITLINK.as_bytes()) {
            self.gitlinks.push(String::from_utf8_lossy(entry).into_owned());
        }
    }

    fn add_change(&mut self, top: &Path, path: &[u8]) {
        let path = String::from_utf8_lossy(path).into_owned();
        let bytes = fs::symlink_metadata(top.join(&path)).map_or(0, |meta| meta.len());
        self.changed.push((path, bytes));
    }
}

fn failed(error: &std::io::Error) -> GitError {
    GitError::Failed { what: "ls-files".to_owned(), output: error.to_string() }
}
