//! Finds files outside of a tree that git would overwrite or delete in order to write another tree.
//!
//! git protects untracked files, but it treats ignored files as expendable: it overwrites them, and it deletes a
//! directory of ignored files to write a file in its place. It also deletes the directory of a submodule that becomes a
//! file, with everything in it.

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

/// Finds files that git would overwrite or delete although it does not have their content.
#[derive(Debug, Clone, Copy)]
pub struct OverwriteCheck<'a>(pub &'a Git);

impl OverwriteCheck<'_> {
    /// Returns the files in a working tree that `trees.from` lacks and that a change to `trees.to` would overwrite or
    /// delete, ignored files included. The path of another repository ends with a slash.
    pub fn files_in_the_way(&self, top: &Path, trees: TreePair<'_>) -> Result<Vec<String>, GitError> {
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--diff-filter=AT"];
        let args = [&args[..], &[trees.from, trees.to, "--"]].concat();
        let changes = self.0.stream(top, &[], &args, read_changes)?;
        let new: Vec<PathBuf> =
            changes.iter().filter(|change| change.status == "A").map(|change| change.path.clone()).collect();
        let replaced = changes.iter().filter(|change| change.was_submodule());
        let submodules = populated(top, replaced.map(|change| &change.path));
        let mut found: Vec<PathBuf> = self.occupied(top, &new)?.into_iter().collect();
        if !found.is_empty() {
            let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", trees.from];
            let known =
                self.0.stream(top, &[], &args, |output| Ok(BTreeSet::from_iter(read_paths(output)?)))?;
            found.retain(|path| !known.contains(path));
        }
        found.extend(submodules);
        Ok(found.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Returns the files in a working tree in place of files that `tree` has and the index lacks, ignored files included.
    /// The path of another repository ends with a slash.
    pub fn untracked_in_place_of(&self, top: &Path, tree: &str) -> Result<Vec<PathBuf>, GitError> {
        // The index is the second side of the comparison, so the files that it lacks count as deleted.
        let args = ["diff-index", "--cached", "-z", "--raw", "--no-renames", "--diff-filter=DT", tree, "--"];
        let changes = self.0.stream(top, &[], &args, read_changes)?;
        let mut missing: Vec<PathBuf> =
            changes.iter().filter(|change| change.status == "D").map(|change| change.path.clone()).collect();
        missing.extend(self.files_without_place(top, tree)?);
        let replaced = changes.iter().filter(|change| change.is_submodule());
        let mut occupied = self.occupied(top, &missing)?;
        occupied.extend(populated(top, replaced.map(|change| &change.path)));
        Ok(occupied.into_iter().collect())
    }

    /// Returns the files of a tree that have a directory in their place, or a file in place of one of their directories.
    /// The index may still have such a file, although the working tree has lost it.
    fn files_without_place(&self, top: &Path, tree: &str) -> Result<Vec<PathBuf>, GitError> {
        let entries = self.0.stream(top, &[], &["ls-tree", "-r", "-z", "--full-tree", tree], read_paths)?;
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
        self.0.stream(top, &[], &["ls-files", "--others", "-z", "--", &pathspec], read_paths)
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

/// Returns the submodules whose directories have files, with a slash at the end.
fn populated<'a>(top: &Path, submodules: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let has_files = |path: &&PathBuf| {
        let directory = top.join(path);
        let is_directory = directory.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        is_directory && directory.read_dir().is_ok_and(|mut entries| entries.next().is_some())
    };
    submodules.filter(has_files).map(|path| path.join("")).collect()
}

/// The mode of a submodule in a tree.
const SUBMODULE_MODE: &str = "160000";

/// A path that differs between two trees, as git lists it with `--raw`.
struct RawChange {
    modes: [String; 2],
    status: String,
    path: PathBuf,
}

impl RawChange {
    /// Returns whether a submodule becomes something else.
    fn was_submodule(&self) -> bool {
        self.status == "T" && self.modes[0] == SUBMODULE_MODE
    }

    /// Returns whether something else becomes a submodule.
    fn is_submodule(&self) -> bool {
        self.status == "T" && self.modes[1] == SUBMODULE_MODE
    }
}

/// Reads the output of `--raw -z`: modes, object ids and status, and then the path.
fn read_changes(output: &mut dyn Read) -> Result<Vec<RawChange>, GitError> {
    let fields = read_paths(output)?;
    let change = |pair: &[PathBuf]| {
        let text = pair[0].to_string_lossy();
        let mut words = text.trim_start_matches(':').split(' ').map(str::to_owned);
        let mut next = || words.next().unwrap_or_default();
        let modes = [next(), next()];
        RawChange { modes, status: words.nth(2).unwrap_or_default(), path: pair[1].clone() }
    };
    Ok(fields.chunks_exact(2).map(change).collect())
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
        assert!(OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap().is_empty());
        r.write("place/deep/ignored", "secret\n");
        r.write("place/untracked", "mine\n");
        let found = OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap();
        assert_eq!(found, ["place/deep/ignored", "place/untracked"]);
        let found = OverwriteCheck(&r.ours()).untracked_in_place_of(&r.top(), "work").unwrap();
        assert_eq!(found, [Path::new("place/deep/ignored"), Path::new("place/untracked")]);
    }

    #[test]
    fn files_and_links_in_place_of_a_directory_are_in_the_way() {
        let r = repository();
        r.write("new", "a file\n");
        assert_eq!(OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap(), ["new"]);
        std::fs::remove_file(r.top().join("new")).unwrap();
        std::os::unix::fs::symlink("place", r.top().join("new")).unwrap();
        r.write("place/file", "behind the link\n");
        assert_eq!(
            OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap(),
            ["new", "place/file"]
        );
    }

    #[test]
    fn a_populated_submodule_that_becomes_a_file_is_in_the_way() {
        let r = Repository::new();
        let module = r.dir.path().join("module");
        std::fs::create_dir(&module).unwrap();
        r.git_in(&module, &["init", "-q"]);
        r.git_in(&module, &["commit", "-q", "--allow-empty", "-m", "first"]);
        r.write("file", "1\n");
        r.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../module", "sub"]);
        r.commit("first");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.git(&["rm", "-q", "--cached", "sub"]);
        std::fs::rename(r.top().join("sub"), r.dir.path().join("aside")).unwrap();
        r.write("sub", "a file\n");
        r.commit("second");
        r.git(&["checkout", "-q", "main"]);
        let restored = TreePair { from: "work", to: "main" };
        assert!(
            OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap().is_empty(),
            "it has no files"
        );
        assert!(OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), restored).unwrap().is_empty());
        std::fs::remove_dir(r.top().join("sub")).unwrap();
        std::fs::rename(r.dir.path().join("aside"), r.top().join("sub")).unwrap();
        r.write("sub/untracked", "mine\n");
        assert_eq!(OverwriteCheck(&r.ours()).files_in_the_way(&r.top(), TREES).unwrap(), ["sub/"]);
        let found = OverwriteCheck(&r.ours()).untracked_in_place_of(&r.top(), "work").unwrap();
        assert_eq!(found.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(), ["sub/"]);
    }
}
