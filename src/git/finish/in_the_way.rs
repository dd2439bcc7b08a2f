//! Finds files outside of a tree that git would overwrite or delete in order to write another tree.
//!
//! git protects untracked files, but it treats ignored files as expendable: it overwrites them, and it deletes a
//! directory of ignored files to write a file in its place.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::command::{Git, GitError};
use super::super::review::TreePair;

/// The part of a working tree that occupies the place of a new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Occupant {
    /// A file or link at the path itself, or in place of one of its directories.
    File(PathBuf),
    /// A directory at the path.
    Directory(PathBuf),
}

impl Git {
    /// Returns the files in a working tree that `trees.from` lacks and that a change to `trees.to` would overwrite or
    /// delete, ignored files included.
    pub fn files_in_the_way(&self, top: &Path, trees: TreePair<'_>) -> Result<Vec<String>, GitError> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A"];
        let args = [&args[..], &[trees.from, trees.to]].concat();
        let new = self.stream(top, &[], &args, read_paths)?;
        let occupied = self.occupied(top, &new)?;
        if occupied.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", trees.from];
        let known = self.stream(top, &[], &args, |output| Ok(BTreeSet::from_iter(read_paths(output)?)))?;
        Ok(occupied.difference(&known).map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Returns the files in a working tree in place of files that `tree` has and the index lacks, ignored files included.
    /// The path of another repository ends with a slash.
    pub fn untracked_in_place_of(&self, top: &Path, tree: &str) -> Result<Vec<PathBuf>, GitError> {
        let args =
            ["diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=D", tree, "--"];
        let mut new = self.stream(top, &[], &args, read_paths)?;
        new.extend(self.files_without_place(top, tree)?);
        Ok(self.occupied(top, &new)?.into_iter().collect())
    }

    /// Returns the files of a tree that have a directory in their place, or a file in place of one of their directories.
    /// The index may still have such a file, although the working tree has lost it.
    fn files_without_place(&self, top: &Path, tree: &str) -> Result<Vec<PathBuf>, GitError> {
        let entries = self.stream(top, &[], &["ls-tree", "-r", "-z", "--full-tree", tree], read_paths)?;
        let blobs = entries.iter().filter_map(|entry| {
            let entry = entry.as_os_str().as_bytes();
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            // A submodule is a directory.
            let is_file = entry[..tab].windows(6).any(|word| word == b" blob ");
            is_file.then(|| PathBuf::from(OsStr::from_bytes(&entry[tab + 1..])))
        });
        let is_displaced = |path: &PathBuf| match occupant(top, path) {
            None => false,
            Some(Occupant::File(place)) => place != *path,
            Some(Occupant::Directory(_)) => true,
        };
        Ok(blobs.filter(is_displaced).collect())
    }

    /// Returns the files that occupy these paths. For a directory, these are the files below it that the index lacks.
    fn occupied(&self, top: &Path, paths: &[PathBuf]) -> Result<BTreeSet<PathBuf>, GitError> {
        let mut found = BTreeSet::new();
        for occupant in paths.iter().filter_map(|path| occupant(top, path)) {
            match occupant {
                Occupant::File(path) => drop(found.insert(path)),
                Occupant::Directory(path) => found.extend(self.untracked_below(top, &path)?),
            }
        }
        Ok(found)
    }

    fn untracked_below(&self, top: &Path, directory: &Path) -> Result<Vec<PathBuf>, GitError> {
        let Some(name) = directory.to_str() else { return Ok(vec![directory.to_owned()]) };
        let pathspec = format!(":(top,literal){name}");
        self.stream(top, &[], &["ls-files", "--others", "-z", "--", &pathspec], read_paths)
    }
}

/// Returns what occupies a path in a working tree. Links are not followed.
pub(super) fn occupant(top: &Path, path: &Path) -> Option<Occupant> {
    let mut place = PathBuf::new();
    for part in path {
        place.push(part);
        if !top.join(&place).symlink_metadata().ok()?.is_dir() {
            return Some(Occupant::File(place));
        }
    }
    Some(Occupant::Directory(place))
}

/// Reads paths that are separated by zero bytes.
pub(super) fn read_paths(output: &mut dyn Read) -> Result<Vec<PathBuf>, GitError> {
    let paths = BufReader::new(output).split(0).map(|path| path.map(|path| OsStr::from_bytes(&path).into()));
    paths
        .collect::<Result<_, _>>()
        .map_err(|error| GitError::Failed { what: "ls-files".to_owned(), output: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    const TREES: TreePair<'_> = TreePair { from: "main", to: "work" };

    /// A repository whose branch `work` has files at `new/file` and `place`, where `main` has the directory `place`.
    fn repository() -> Repository {
        let r = Repository::new();
        r.write(".gitignore", "ignored\n");
        r.write("place/tracked", "1\n");
        r.commit("first");
        r.git(&["checkout", "-q", "-b", "work"]);
        std::fs::remove_dir_all(r.top().join("place")).unwrap();
        r.write("place", "a file\n");
        r.write("new/file", "new\n");
        r.commit("second");
        r.git(&["checkout", "-q", "main"]);
        r
    }

    #[test]
    fn ignored_files_below_a_directory_that_becomes_a_file_are_in_the_way() {
        let r = repository();
        assert!(r.ours().files_in_the_way(&r.top(), TREES).unwrap().is_empty());
        r.write("place/deep/ignored", "secret\n");
        r.write("place/untracked", "mine\n");
        let found = r.ours().files_in_the_way(&r.top(), TREES).unwrap();
        assert_eq!(found, ["place/deep/ignored", "place/untracked"]);
        let found = r.ours().untracked_in_place_of(&r.top(), "work").unwrap();
        assert_eq!(found, [Path::new("place/deep/ignored"), Path::new("place/untracked")]);
    }

    #[test]
    fn files_and_links_in_place_of_a_directory_are_in_the_way() {
        let r = repository();
        r.write("new", "a file\n");
        assert_eq!(r.ours().files_in_the_way(&r.top(), TREES).unwrap(), ["new"]);
        std::fs::remove_file(r.top().join("new")).unwrap();
        std::os::unix::fs::symlink("place", r.top().join("new")).unwrap();
        r.write("place/file", "behind the link\n");
        assert_eq!(r.ours().files_in_the_way(&r.top(), TREES).unwrap(), ["new", "place/file"]);
    }
}
