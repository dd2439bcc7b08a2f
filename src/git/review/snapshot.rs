//! Stores the content of a working tree as a tree object, with uncommitted and untracked files. Uses a copy of the
//! index, so the index and the files of the working tree stay as they are. Submodules are recorded with the commits that
//! are checked out in them. Ignored files and the content of submodules are left out.

use std::fs;
use std::path::Path;

use super::super::command::{CommandInput, Git, GitError};
use super::super::git_dir;
use super::super::submodules::{Gitlinks, SubmoduleCheckout};
use super::super::uncommitted::{Index, TreeListing, WITHOUT_SPARSE_CHECKOUT, copy_of_index};

/// Place to which git writes the objects of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectStore {
    /// Into the repository, so that a ref can refer to them.
    Repository,
    /// Into the scratch directory, so that the repository does not grow.
    Scratch,
}

/// The parameters of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotPlan<'a> {
    /// Pathspecs that exclude files.
    pub left_out: &'a [String],
    /// Directory for temporary files.
    pub scratch: &'a Path,
    /// Place to which the objects are written.
    pub objects: ObjectStore,
}

/// Stores the content of a working tree as a tree object.
#[derive(Debug, Clone, Copy)]
pub struct Snapshots<'a>(pub &'a Git);

impl Snapshots<'_> {
    /// Returns a git that writes new objects into `plan.scratch` if the plan asks for it. It reads the objects of the
    /// repository and those in the scratch directory.
    pub fn git_for(&self, top: &Path, plan: SnapshotPlan<'_>) -> Result<Git, GitError> {
        if plan.objects == ObjectStore::Repository {
            return Ok(self.0.clone());
        }
        let own = top.join(self.0.line(top, &["rev-parse", "--git-path", "objects"])?);
        let own = own.canonicalize().map_err(|error| failed(&error.to_string()))?;
        let objects = plan.scratch.join("objects");
        fs::create_dir_all(&objects).map_err(|error| failed(&error.to_string()))?;
        Ok(self.0.clone().with_objects(&objects, &own))
    }

    /// Writes a tree object with everything in the working tree that git does not ignore, and returns its id. This
    /// is a git from [`Snapshots::git_for`].
    pub fn write(&self, top: &Path, plan: SnapshotPlan<'_>) -> Result<String, GitError> {
        self.write_listed(top, plan, &Index(self.0).list(top)?)
    }

    /// Writes the same tree as [`Snapshots::write`], with a listing of the index that was made immediately before.
    pub(in crate::git) fn write_listed(
        &self,
        top: &Path,
        plan: SnapshotPlan<'_>,
        listing: &TreeListing,
    ) -> Result<String, GitError> {
        // Files outside of a sparse checkout would be left out, although they exist.
        let configs = [WITHOUT_SPARSE_CHECKOUT.to_owned()];
        let Some(own) = git_dir(top) else { return Err(failed("this is not a working tree")) };
        let (index, list) = (plan.scratch.join("index"), plan.scratch.join("paths"));
        // The scratch directory may contain the index of another working tree.
        let _ = fs::remove_file(&index);
        copy_of_index(&own.join("index"), &index).map_err(|error| failed(&error.to_string()))?;
        Index(self.0).clear_marks(top, &listing.marked, (&index, plan.scratch))?;
        // git would start a second git in a submodule, with the submodule's own configuration.
        let gitlinks = Gitlinks(self.0).of(top, listing)?;
        let submodules = gitlinks.iter().filter(|link| link.checkout != SubmoduleCheckout::Replaced);
        let submodules = submodules.map(|link| format!(":(top,exclude,literal){}", link.path));
        let paths: Vec<String> =
            std::iter::once(".".to_owned()).chain(plan.left_out.iter().cloned()).chain(submodules).collect();
        fs::write(&list, paths.join("\0") + "\0").map_err(|error| failed(&error.to_string()))?;
        let from = format!("--pathspec-from-file={}", list.display());
        let add = ["add", "--all", "--pathspec-file-nul", &from];
        self.0.output_with_input(top, &configs, &add, CommandInput { input: None, index: Some(&index) })?;
        Gitlinks(self.0).record(top, &gitlinks, (&index, plan.scratch))?;
        let tree = self.0.output_with_input(
            top,
            &configs,
            &["write-tree"],
            CommandInput { input: None, index: Some(&index) },
        )?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }
}

fn failed(message: &str) -> GitError {
    GitError::Failed { what: "add".to_owned(), output: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    #[test]
    fn a_snapshot_for_a_diff_writes_nothing_into_the_repository() {
        let r = Repository::new();
        r.write("a", "one\n");
        r.write(".gitignore", "ignored\n");
        r.commit("first");
        r.write("a", "two\n");
        r.write("new", "three\n");
        r.write("ignored", "four\n");
        let objects = || walk(&r.top().join(".git"));
        let before = objects();
        let scratch = tempfile::tempdir().unwrap();
        let plan = SnapshotPlan { left_out: &[], scratch: scratch.path(), objects: ObjectStore::Scratch };
        let git = Snapshots(&r.ours()).git_for(&r.top(), plan).unwrap();
        let tree = Snapshots(&git).write(&r.top(), plan).unwrap();
        assert_eq!(git.line(&r.top(), &["ls-tree", "--name-only", &tree]).unwrap(), ".gitignore\na\nnew");
        assert_eq!(git.line(&r.top(), &["cat-file", "blob", &format!("{tree}:a")]).unwrap(), "two");
        assert_eq!(objects(), before);
        assert!(r.ours().line(&r.top(), &["cat-file", "-t", &tree]).is_err());
    }

    fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => found.extend(walk(&path)),
                path => found.push(path),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn line_ends_that_must_not_change_are_stored_for_results_that_keep_the_bytes() {
        let r = Repository::new();
        r.write(".gitattributes", "* text=auto\n");
        r.commit("first");
        r.write("mixed", "a\r\nb\n");
        r.git(&["config", "core.safecrlf", "true"]);
        let scratch = tempfile::tempdir().unwrap();
        let plan = SnapshotPlan { left_out: &[], scratch: scratch.path(), objects: ObjectStore::Repository };
        assert!(Snapshots(&r.ours()).write(&r.top(), plan).is_err(), "the user forbids it");
        let git = r.ours().with_changed_line_ends();
        let tree = Snapshots(&git).write(&r.top(), plan).unwrap();
        assert_eq!(git.line(&r.top(), &["cat-file", "blob", &format!("{tree}:mixed")]).unwrap(), "a\nb");
    }
}
