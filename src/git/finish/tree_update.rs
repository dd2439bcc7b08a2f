//! Changes the files and the index of a working tree from one commit to another one, and settles a change that was
//! interrupted.
//!
//! git works on a copy of the index while it writes files, so that a killed git leaves no lock in the repository. What it
//! leaves are files of both commits, missing files, and files that end early. None of these has content of the user.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::command::{CommandInput, Git, GitError};
use super::super::git_dir;
use super::super::review::TreePair;
use super::super::uncommitted::{Index, copy_of_index};
use super::in_the_way::{Occupant, occupant, read_paths};

/// Handling of files that belong to neither commit when an interrupted change is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFiles {
    /// Nothing is changed, and the first of them is reported.
    Refuse,
    /// They stay as they are, and all other files are changed.
    Leave,
}

/// A path that differs between two commits.
struct ChangedPath {
    path: PathBuf,
    /// Whether the commit before the change has a file there.
    was_there: bool,
    /// Whether the commit after the change has a file there.
    is_wanted: bool,
}

/// Changes the files, the index and HEAD of a working tree from one commit to another one.
#[derive(Debug, Clone, Copy)]
pub struct TreeUpdates<'a>(pub &'a Git);

impl TreeUpdates<'_> {
    /// Changes the files and the index of a working tree from one commit to another one. Files that are not tracked
    /// stay. Fails without a change if a tracked file has changes. `scratch` is for temporary files.
    pub fn update(&self, top: &Path, trees: TreePair<'_>, scratch: &Path) -> Result<(), GitError> {
        let index = scratch.join("updated-index");
        let _ = fs::remove_file(&index);
        let own = git_dir(top).map(|dir| dir.join("index"));
        own.map_or(Ok(()), |own| copy_of_index(&own, &index)).map_err(|error| failed(error.to_string()))?;
        let with = || CommandInput { input: None, index: Some(&index) };
        // Compares the files with the index again, because a file that was only touched would count as changed.
        let _ = self.0.output_with_input(top, &[], &["update-index", "-q", "--refresh"], with());
        self.0.output_with_input(top, &[], &["read-tree", "-m", "-u", trees.from, trees.to], with())?;
        self.update_index_between(top, trees)
    }

    /// Completes a change of files that was interrupted: files as in `trees.from`, missing files and files that end early
    /// become as in `trees.to`. To revert the change, the trees are exchanged. Returns the files that belong to neither
    /// tree.
    pub fn settle(
        &self,
        top: &Path,
        trees: TreePair<'_>,
        scratch: &Path,
        foreign_files: ForeignFiles,
    ) -> Result<Vec<String>, GitError> {
        let changed = self.changed_paths_between(top, trees)?;
        let all: BTreeSet<&PathBuf> = changed.iter().map(|change| &change.path).collect();
        let (before, _) = self.differing(top, trees.from, scratch)?;
        let (after, index) = self.differing(top, trees.to, scratch)?;
        let (mut foreign, mut removed, mut written) = (BTreeSet::new(), Vec::new(), Vec::new());
        for ChangedPath { path, was_there, is_wanted } in &changed {
            let is_settled = *is_wanted && !after.contains(path);
            match occupant(top, path) {
                None => {}
                Some(Occupant::File(place)) if place == *path => {
                    if is_settled {
                        continue;
                    }
                    let is_as_before = *was_there && !before.contains(path);
                    if !is_as_before && !self.is_cut_short(top, path, trees) {
                        foreign.insert(path.clone());
                        continue;
                    }
                    removed.push(path);
                }
                Some(Occupant::File(place)) if all.contains(&place) => {}
                Some(Occupant::File(place)) => {
                    foreign.insert(place);
                    continue;
                }
                Some(Occupant::Directory(place)) => {
                    let below = files_below(top, &place).into_iter().filter(|file| !all.contains(file));
                    let count = foreign.len();
                    foreign.extend(below.filter(|_| *is_wanted));
                    if foreign.len() > count {
                        continue;
                    }
                }
            }
            if *is_wanted {
                written.push(path);
            }
        }
        if let (ForeignFiles::Refuse, Some(path)) = (foreign_files, foreign.first()) {
            return Err(failed(format!("`{}` was changed in the meantime", path.display())));
        }
        for path in removed {
            remove(top, path).map_err(|error| failed(error.to_string()))?;
        }
        // A file in place of a directory may be foreign, which leaves no place for the files below.
        written.retain(|path| {
            occupant(top, path).is_none_or(|found| found == Occupant::Directory(path.to_path_buf()))
        });
        self.write_missing(top, &written, (&index, scratch))?;
        self.update_index_between(top, trees)?;
        Ok(foreign.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Updates the index from one commit to another one, also if it has the content of the second one already.
    fn update_index_between(&self, top: &Path, trees: TreePair<'_>) -> Result<(), GitError> {
        self.0.output(top, &[], &["read-tree", "-i", "-m", trees.from, trees.to])?;
        let _ = self.0.output(top, &[], &["update-index", "-q", "--refresh"]);
        Ok(())
    }

    fn changed_paths_between(&self, top: &Path, trees: TreePair<'_>) -> Result<Vec<ChangedPath>, GitError> {
        let args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", "--ignore-submodules=all"];
        let args = [&args[..], &[trees.from, trees.to, "--"]].concat();
        let fields = self.0.stream(top, &[], &args, read_paths)?;
        let pairs = fields.chunks_exact(2);
        let change = |pair: &[PathBuf]| ChangedPath {
            path: pair[1].clone(),
            was_there: pair[0] != Path::new("A"),
            is_wanted: pair[0] != Path::new("D"),
        };
        Ok(pairs.map(change).collect())
    }

    /// Returns the paths of a tree whose files in the working tree are missing or have another content, and an index
    /// with the tree.
    fn differing(
        &self,
        top: &Path,
        tree: &str,
        scratch: &Path,
    ) -> Result<(BTreeSet<PathBuf>, PathBuf), GitError> {
        let index = scratch.join("compared-index");
        let _ = fs::remove_file(&index);
        let with = || CommandInput { input: None, index: Some(&index) };
        self.0.output_with_input(top, &[], &["read-tree", tree], with())?;
        // The refresh returns an error if files differ.
        let _ = self.0.output_with_input(top, &[], &["update-index", "-q", "--refresh"], with());
        let args = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
        let output = self.0.output_with_input(top, &[], &args, with())?;
        Ok((read_paths(&mut &output[..])?.into_iter().collect(), index))
    }

    /// Returns whether a file has the beginning of its content in one of the trees, as a killed git leaves it.
    fn is_cut_short(&self, top: &Path, path: &Path, trees: TreePair<'_>) -> bool {
        let file = top.join(path);
        let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
        let (Some(name), Ok(found), true) = (path.to_str(), fs::read(&file), is_file) else { return false };
        [trees.from, trees.to].iter().any(|tree| {
            let object = format!("{tree}:{name}");
            let whole = self.0.stream(top, &[], &["cat-file", "--filters", &object], |output| {
                let mut whole = Vec::new();
                output.read_to_end(&mut whole).map_err(|error| failed(error.to_string()))?;
                Ok(whole)
            });
            whole.is_ok_and(|whole| whole.starts_with(&found))
        })
    }

    /// Writes files that are missing. An existing file is never overwritten.
    fn write_missing(
        &self,
        top: &Path,
        paths: &[&PathBuf],
        (index, scratch): (&Path, &Path),
    ) -> Result<(), GitError> {
        let list = scratch.join("written");
        let lines = paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"]).collect::<Vec<_>>();
        fs::write(&list, lines.concat()).map_err(|error| failed(error.to_string()))?;
        let input = Some(File::open(&list).map_err(|error| failed(error.to_string()))?);
        let args = ["checkout-index", "-q", "-z", "--stdin"];
        self.0.output_with_input(top, &[], &args, CommandInput { input, index: Some(index) }).map(drop)
    }

    /// Moves HEAD of a working tree, and the branch that it is on, if it still is at the expected commit. Index and files
    /// stay as they are.
    pub fn advance_head(&self, top: &Path, commits: TreePair<'_>) -> Result<(), GitError> {
        let args = ["update-ref", "-m", "symposium: finish", "HEAD", commits.to, commits.from];
        self.0.output(top, &[], &args).map(drop)
    }

    /// Updates the index of a working tree to a commit that has the content of its files.
    pub fn update_index(&self, top: &Path, commit: &str) -> Result<(), GitError> {
        // git refuses to replace a marked entry whose file has changed.
        Index(self.0).clear_own_marks(top)?;
        // With `--reset`, files that a sparse checkout lacks stay marked. Otherwise they would count as deleted.
        self.0.output(top, &[], &["read-tree", "--reset", commit])?;
        let _ = self.0.output(top, &[], &["update-index", "-q", "--refresh"]);
        Ok(())
    }
}

/// Removes a file and the directories that become empty.
fn remove(top: &Path, path: &Path) -> std::io::Result<()> {
    fs::remove_file(top.join(path))?;
    let parents = path.ancestors().skip(1).take_while(|parent| !parent.as_os_str().is_empty());
    for parent in parents {
        if fs::remove_dir(top.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Returns the files below a directory of a working tree.
fn files_below(top: &Path, directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(top.join(directory)).into_iter().flatten().flatten() {
        let path = directory.join(entry.file_name());
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => found.extend(files_below(top, &path)),
            false => found.push(path),
        }
    }
    found
}

fn failed(output: String) -> GitError {
    GitError::Failed { what: "read-tree".to_owned(), output }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    const FORWARD: TreePair<'_> = TreePair { from: "main", to: "work" };
    const BACK: TreePair<'_> = TreePair { from: "work", to: "main" };

    /// A repository whose branch `work` changes, adds and removes files, and swaps a directory and a file.
    fn repository() -> Repository {
        let r = Repository::new();
        for (path, text) in [("a", "1\n"), ("b", "1\n"), ("gone", "x\n"), ("dir/one", "1\n"), ("file", "1\n")]
        {
            r.write(path, text);
        }
        r.commit("first");
        r.git(&["checkout", "-q", "-b", "work"]);
        fs::remove_dir_all(r.top().join("dir")).unwrap();
        fs::remove_file(r.top().join("file")).unwrap();
        fs::remove_file(r.top().join("gone")).unwrap();
        for (path, text) in [
            ("a", "two lines\nof text\n"),
            ("b", "2\n"),
            ("dir", "2\n"),
            ("file/two", "2\n"),
            ("new", "new\n"),
        ] {
            r.write(path, text);
        }
        r.commit("second");
        r.git(&["checkout", "-q", "main"]);
        r
    }

    /// Leaves the files as a git that was killed.
    fn interrupt(r: &Repository) {
        fs::remove_file(r.top().join("gone")).unwrap();
        fs::remove_dir_all(r.top().join("dir")).unwrap();
        fs::remove_file(r.top().join("b")).unwrap();
        r.write("a", "two li");
        r.write("new", "");
    }

    #[track_caller]
    fn assert_clean(r: &Repository, branch: &str) {
        r.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        assert_eq!(r.ours().line(&r.top(), &["status", "--porcelain"]).unwrap(), "");
    }

    #[test]
    fn a_dirty_tree_is_not_updated() {
        let r = repository();
        let scratch = tempfile::tempdir().unwrap();
        r.write("a", "mine\n");
        assert!(TreeUpdates(&r.ours()).update(&r.top(), FORWARD, scratch.path()).is_err());
        assert_eq!(fs::read_to_string(r.top().join("a")).unwrap(), "mine\n");
        assert!(r.top().join("gone").exists() && !r.top().join("new").exists());
    }

    #[test]
    fn an_update_changes_files_and_index() {
        let r = repository();
        let scratch = tempfile::tempdir().unwrap();
        TreeUpdates(&r.ours()).update(&r.top(), FORWARD, scratch.path()).unwrap();
        assert_clean(&r, "work");
        TreeUpdates(&r.ours()).update(&r.top(), BACK, scratch.path()).unwrap();
        assert_clean(&r, "main");
    }

    #[test]
    fn an_interrupted_update_is_completed_or_reverted() {
        for (trees, branch) in [(FORWARD, "work"), (BACK, "main")] {
            let r = repository();
            let scratch = tempfile::tempdir().unwrap();
            interrupt(&r);
            let left =
                TreeUpdates(&r.ours()).settle(&r.top(), trees, scratch.path(), ForeignFiles::Refuse).unwrap();
            assert!(left.is_empty(), "{left:?}");
            assert_clean(&r, branch);
            // It can be repeated.
            TreeUpdates(&r.ours()).settle(&r.top(), trees, scratch.path(), ForeignFiles::Refuse).unwrap();
            assert_clean(&r, branch);
        }
    }

    #[test]
    fn files_that_the_user_changed_after_an_interruption_stay() {
        let r = repository();
        let scratch = tempfile::tempdir().unwrap();
        interrupt(&r);
        r.write("b", "mine\n");
        r.write("dir/untracked", "mine\n");
        let why = TreeUpdates(&r.ours())
            .settle(&r.top(), FORWARD, scratch.path(), ForeignFiles::Refuse)
            .unwrap_err();
        assert!(why.to_string().contains("`b` was changed"), "{why}");
        assert_eq!(fs::read_to_string(r.top().join("a")).unwrap(), "two li", "nothing was changed");
        let left =
            TreeUpdates(&r.ours()).settle(&r.top(), BACK, scratch.path(), ForeignFiles::Leave).unwrap();
        assert_eq!(left, ["b"]);
        assert_eq!(fs::read_to_string(r.top().join("a")).unwrap(), "1\n");
        let status = r.ours().line(&r.top(), &["status", "--porcelain"]).unwrap();
        assert_eq!(status, " M b\n?? dir/untracked");
    }
}
