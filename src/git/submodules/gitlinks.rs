//! The commits that an index records for submodules, compared with those that are checked out there.
//!
//! git would start a second git in each submodule to compare them, with the submodule's own configuration. Here only
//! HEAD of the submodule is read.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::super::command::{CommandInput, Git, GitError};
use super::super::uncommitted::{GITLINK, Index, TreeListing};
use super::{MAX_DEPTH, Submodules, is_deleted_with};
use crate::model::{ChangeKind, ChangedFile};

/// A submodule that an index records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::git) struct Gitlink {
    /// Path relative to the root of the working tree.
    pub path: String,
    /// The commit that the index records; `None` if the entry has a conflict.
    recorded: Option<String>,
    /// Content found at the path.
    pub checkout: SubmoduleCheckout,
}

/// The content at the path of a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::git) enum SubmoduleCheckout {
    /// A repository with this commit checked out.
    Commit(String),
    /// A directory that is no repository, as git leaves it until the submodule is checked out.
    Empty,
    /// A file or link.
    Replaced,
    /// The path does not exist.
    Missing,
}

impl Gitlink {
    /// Returns the line for `update-index --index-info` that makes the index agree with the working tree, or `None` if
    /// it does already.
    fn update(&self) -> Option<String> {
        let recorded = self.recorded.as_ref()?;
        match &self.checkout {
            SubmoduleCheckout::Commit(commit) if commit != recorded => {
                Some(format!("{GITLINK} {commit} 0\t{}\0", self.path))
            }
            SubmoduleCheckout::Missing => {
                Some(format!("0 {} 0\t{}\0", "0".repeat(recorded.len()), self.path))
            }
            _ => None,
        }
    }
}

/// Reads and records the commits that an index has for submodules.
#[derive(Debug, Clone, Copy)]
pub(in crate::git) struct Gitlinks<'a>(pub &'a Git);

impl Gitlinks<'_> {
    /// Returns the submodules that the index of a working tree records.
    pub(in crate::git) fn list(&self, top: &Path) -> Result<Vec<Gitlink>, GitError> {
        self.of(top, &Index(self.0).list(top)?)
    }

    /// Returns the submodules of a listing with what is at their paths.
    pub(in crate::git) fn of(&self, top: &Path, listing: &TreeListing) -> Result<Vec<Gitlink>, GitError> {
        let entries = listing.gitlinks.iter().filter_map(|entry| entry.split_once('\t'));
        entries.map(|(fields, path)| self.read(top, fields, path)).collect()
    }

    fn read(&self, top: &Path, fields: &str, path: &str) -> Result<Gitlink, GitError> {
        let mut fields = fields.split(' ').skip(1);
        let commit = fields.next().unwrap_or_default().to_owned();
        let recorded = Some(commit).filter(|_| fields.next() == Some("0"));
        let at = top.join(path);
        let checkout = match fs::symlink_metadata(&at) {
            Err(_) => SubmoduleCheckout::Missing,
            Ok(meta) if !meta.is_dir() => SubmoduleCheckout::Replaced,
            Ok(_) if !at.join(".git").exists() => SubmoduleCheckout::Empty,
            Ok(_) => match self.0.with_own_objects().head(&at) {
                Ok(Some(commit)) => SubmoduleCheckout::Commit(commit),
                Ok(None) | Err(GitError::Failed { .. }) => SubmoduleCheckout::Empty,
                Err(error) => return Err(error),
            },
        };
        Ok(Gitlink { path: path.to_owned(), recorded, checkout })
    }

    /// Records the commits that are checked out in submodules in a copy of the index. `scratch` is a directory for
    /// temporary files.
    pub(in crate::git) fn record(
        &self,
        top: &Path,
        gitlinks: &[Gitlink],
        (index, scratch): (&Path, &Path),
    ) -> Result<(), GitError> {
        let lines: String = gitlinks.iter().filter_map(Gitlink::update).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let list = scratch.join("gitlinks");
        let write = || File::create(&list)?.write_all(lines.as_bytes()).and_then(|()| File::open(&list));
        let input = Some(write().map_err(|error| failed(&error))?);
        let also = CommandInput { input, index: Some(index) };
        self.0.output_with_input(top, &[], &["update-index", "-z", "--index-info"], also).map(drop)
    }

    /// Returns the submodules whose commits, staged or checked out, differ from those in HEAD.
    pub(in crate::git) fn uncommitted(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let gitlinks = self.list(top)?;
        if gitlinks.is_empty() {
            return Ok(Vec::new());
        }
        let mut changed: Vec<ChangedFile> = Vec::new();
        let is_changed =
            |link: &&Gitlink| link.update().is_some() || link.checkout == SubmoduleCheckout::Replaced;
        for link in gitlinks.iter().filter(is_changed) {
            let kind = match link.checkout {
                SubmoduleCheckout::Missing => ChangeKind::Deleted,
                _ => ChangeKind::Modified,
            };
            changed.push(ChangedFile { kind, path: link.path.clone() });
        }
        if self.0.head(top)?.is_some() {
            let args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none"];
            let output = self.0.output(top, &[], &[&args[..], &["HEAD", "--"]].concat())?;
            let output = String::from_utf8_lossy(&output).into_owned();
            let fields: Vec<&str> = output.split('\0').collect();
            for pair in fields.chunks_exact(2).filter(|pair| pair[0].contains(GITLINK)) {
                let is_known = changed.iter().any(|file| file.path == pair[1]);
                let kind = if pair[0].ends_with('D') { ChangeKind::Deleted } else { ChangeKind::Modified };
                changed.extend((!is_known).then(|| ChangedFile { kind, path: pair[1].to_owned() }));
            }
        }
        Ok(changed)
    }
}

impl Submodules<'_> {
    /// Returns the submodules with commits that are on no branch, tag or remote which outlives the worktree `top`.
    pub fn with_unsaved_commits(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let mut found = Vec::new();
        let mut open = vec![(String::new(), 0)];
        while let Some((inside, depth)) = open.pop() {
            for link in Gitlinks(self.0).list(&top.join(&inside))? {
                let SubmoduleCheckout::Commit(commit) = &link.checkout else { continue };
                let path = if inside.is_empty() { link.path } else { format!("{inside}/{}", link.path) };
                let at = top.join(&path);
                let unsaved = match is_deleted_with(top, &at) {
                    true => self.local_commits(&at)?,
                    false => self.commits_without_a_ref(&at, commit)?,
                };
                if unsaved > 0 {
                    found.push(path.clone());
                }
                if depth < MAX_DEPTH {
                    open.push((path, depth + 1));
                }
            }
        }
        Ok(found)
    }

    /// Returns the number of commits that no branch, tag or remote has.
    fn commits_without_a_ref(&self, dir: &Path, commit: &str) -> Result<u64, GitError> {
        let args = ["rev-list", "--count", commit, "--not", "--branches", "--tags", "--remotes", "--"];
        Ok(self.0.line(dir, &args)?.parse().unwrap_or(u64::MAX))
    }
}

fn failed(error: &std::io::Error) -> GitError {
    GitError::Failed { what: "ls-files".to_owned(), output: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::super::review::{ObjectStore, SnapshotPlan};
    use super::super::super::testing::Repository;
    use super::*;
    use crate::git::objects::Objects;
    use crate::git::review::Snapshots;
    use crate::git::uncommitted::WorkingTreeChanges;

    /// A repository with the submodule `sub`, which has a second commit that the index does not record.
    fn repository() -> Repository {
        let r = Repository::new();
        r.write("a", "1\n");
        r.commit("first");
        let origin = r.dir.path().join("origin");
        r.git(&["clone", "-q", r.top().to_str().unwrap(), origin.to_str().unwrap()]);
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        r.git(&[&add[..], &[origin.to_str().unwrap(), "sub"]].concat());
        r.commit("submodule");
        r.git_in(&r.top().join("sub"), &["commit", "-q", "--allow-empty", "-m", "second"]);
        r
    }

    fn pointer(r: &Repository) -> Option<String> {
        let scratch = tempfile::tempdir().unwrap();
        let plan = SnapshotPlan { left_out: &[], scratch: scratch.path(), objects: ObjectStore::Repository };
        let tree = Snapshots(&r.ours()).write(&r.top(), plan).unwrap();
        Objects(&r.ours()).blob_at(&r.top(), &tree, "sub").unwrap()
    }

    fn changed(r: &Repository) -> Vec<(ChangeKind, String)> {
        let files = WorkingTreeChanges(&r.ours()).list_all(&r.top()).unwrap();
        files.into_iter().map(|file| (file.kind, file.path)).collect()
    }

    #[test]
    fn a_moved_submodule_is_a_change_whether_staged_or_not() {
        let r = repository();
        let head = r.ours().head(&r.top().join("sub")).unwrap();
        let expected = [(ChangeKind::Modified, "sub".to_owned())];
        assert_eq!((pointer(&r), changed(&r)), (head.clone(), expected.to_vec()));
        r.git(&["add", "sub"]);
        assert_eq!((pointer(&r), changed(&r)), (head.clone(), expected.to_vec()));
        r.commit("moved");
        assert_eq!((pointer(&r), changed(&r)), (head, Vec::new()));
        fs::remove_dir_all(r.top().join("sub")).unwrap();
        assert_eq!((pointer(&r), changed(&r)), (None, vec![(ChangeKind::Deleted, "sub".to_owned())]));
        r.write("sub", "a file\n");
        let blob = r.ours().line(&r.top(), &["hash-object", "sub"]).ok();
        assert_eq!((pointer(&r), changed(&r).len()), (blob, 1));
    }

    #[test]
    fn commits_of_a_submodule_without_a_branch_are_unsaved() {
        let r = repository();
        let unsaved = || Submodules(&r.ours()).with_unsaved_commits(&r.top()).unwrap();
        assert!(unsaved().is_empty(), "its branch has them");
        r.git_in(&r.top().join("sub"), &["checkout", "-q", "--detach"]);
        r.git_in(&r.top().join("sub"), &["commit", "-q", "--allow-empty", "-m", "third"]);
        assert_eq!(unsaved(), ["sub"]);
    }
}
