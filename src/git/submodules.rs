//! Submodules of a new worktree. Each is checked out as a worktree of the submodule's own repository, at the commit
//! that the new tree names. Therefore nothing is cloned or fetched, and commits in it are stored in the same repository
//! as those of the original.

mod gitlinks;
mod inner_repository;

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::checkout_size::CheckoutSize;
use super::command::{Git, GitError};
use super::common_dir;
use super::worktree::{Worktrees, with_worktree_lock};
pub(super) use gitlinks::{Gitlinks, SubmoduleCheckout};
pub(super) use inner_repository::is_deleted_with;

/// Maximum nesting of submodules, deeper than in practice, so that a cycle ends.
const MAX_DEPTH: usize = 8;

/// Allows git to use the directory of a submodule's repository: older versions take it for a bare repository, which
/// would have to be named explicitly.
pub(super) const INSIDE_GIT: &str = "safe.bareRepository=all";

/// A submodule that was checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submodule {
    /// The git directory of the submodule's own repository.
    pub repository: PathBuf,
    /// Path relative to the root of the new tree.
    pub path: PathBuf,
}

/// Reads the submodules of a working tree, and creates and removes their checkouts.
#[derive(Debug, Clone, Copy)]
pub struct Submodules<'a>(pub &'a Git);

impl Submodules<'_> {
    /// Checks out the submodules whose commits the original repository has. Returns those submodules, and a remark for
    /// each one that stays empty. An untrusted tree may name the same submodule at many paths: with `counted`, their
    /// size is added up, and submodules that exceed the limit stay empty.
    pub fn fill(
        &self,
        top: &Path,
        mut counted: Option<CheckoutSize>,
    ) -> Result<(Vec<Submodule>, Vec<String>), GitError> {
        let (mut filled, mut remarks) = (Vec::new(), Vec::new());
        let Some(repository) = common_dir(top) else { return Ok((filled, remarks)) };
        let mut open = vec![(PathBuf::new(), repository, 0)];
        while let Some((inside, repository, depth)) = open.pop() {
            let tree = top.join(&inside);
            for path in self.paths(&tree)? {
                let place = inside.join(&path);
                let own = self.repository(&tree, &path, &repository)?;
                let commit = match &own {
                    Some(own) => self.pinned(&tree, &path, own)?,
                    None => None,
                };
                let (Some(own), Some(commit), true) = (own, commit, depth < MAX_DEPTH) else {
                    remarks.push(left_empty(&place, "its commit is not available"));
                    continue;
                };
                let all = counted
                    .map(|there| there.plus_checkout(self.0, (&own, &commit), CheckoutSize::MAX_CHECKOUT))
                    .transpose();
                let added = all.and_then(|all| {
                    self.add_detached(&own, &top.join(&place), &commit)?;
                    Ok(all)
                });
                match added {
                    Ok(all) => {
                        counted = all;
                        filled.push(Submodule { repository: own.clone(), path: place.clone() });
                        open.push((place, own, depth + 1));
                    }
                    Err(error) => remarks.push(left_empty(&place, &error.to_string())),
                }
            }
        }
        Ok((filled, remarks))
    }

    /// Returns the paths of the submodules in a tree, without paths that lead out of the tree.
    pub(super) fn paths(&self, tree: &Path) -> Result<Vec<PathBuf>, GitError> {
        let paths = self.gitmodules(tree, r"^submodule\..*\.path$")?.into_iter().map(|(_, path)| path);
        Ok(paths.map(PathBuf::from).filter(|path| stays_inside(path)).collect())
    }

    /// Returns the git directory of a submodule, if the original repository has it.
    fn repository(&self, tree: &Path, path: &Path, around: &Path) -> Result<Option<PathBuf>, GitError> {
        let all = self.gitmodules(tree, r"^submodule\..*\.path$")?;
        let key = all.into_iter().find(|(_, at)| Path::new(at) == path).map(|(key, _)| key);
        let name = key.as_deref().and_then(|key| key.strip_prefix("submodule.")?.strip_suffix(".path"));
        let own =
            name.filter(|name| stays_inside(Path::new(name))).map(|name| around.join("modules").join(name));
        Ok(own.filter(|own| own.join("HEAD").is_file()))
    }

    /// Returns the commit that a tree names for a submodule, if the submodule's repository has it.
    fn pinned(&self, tree: &Path, path: &Path, own: &Path) -> Result<Option<String>, GitError> {
        let name = format!("HEAD:{}", path.display());
        let output = match self.0.output(tree, &[], &["rev-parse", "--verify", "--quiet", &name]) {
            Ok(output) => String::from_utf8_lossy(&output).trim().to_owned(),
            Err(GitError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        match self.0.output(
            own,
            &[INSIDE_GIT.to_owned()],
            &["cat-file", "-e", &format!("{output}^{{commit}}")],
        ) {
            Ok(_) => Ok(Some(output)),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn add_detached(&self, own: &Path, at: &Path, commit: &str) -> Result<(), GitError> {
        let place = at.to_string_lossy();
        let args = ["worktree", "add", "--no-checkout", "--force", "--force", "--detach", &place, commit];
        with_worktree_lock(own, || self.0.output(own, &[INSIDE_GIT.to_owned()], &args))?;
        Worktrees(self.0).check_out(at)
    }

    /// Returns keys and values of a tree's `.gitmodules`.
    fn gitmodules(&self, tree: &Path, keys: &str) -> Result<Vec<(String, String)>, GitError> {
        if !std::fs::symlink_metadata(tree.join(".gitmodules")).is_ok_and(|meta| meta.is_file()) {
            return Ok(Vec::new());
        }
        let args = ["config", "--null", "--no-includes", "--file", ".gitmodules", "--get-regexp", keys];
        let output = match self.0.output(tree, &[], &args) {
            Ok(output) => output,
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&output).into_owned();
        let pair =
            |entry: &str| entry.split_once('\n').map(|(key, value)| (key.to_owned(), value.to_owned()));
        Ok(text.split('\0').filter_map(pair).collect())
    }

    /// Removes a checked-out submodule from the list of worktrees of its own repository.
    pub fn forget(&self, top: &Path, submodule: &Submodule) -> Result<(), GitError> {
        let at = top.join(&submodule.path);
        let place = at.to_string_lossy();
        let own = &submodule.repository;
        with_worktree_lock(own, || {
            Worktrees(self.0).remove(own, &["worktree", "remove", "--force", "--force", &place])
        })
    }
}

fn left_empty(place: &Path, why: &str) -> String {
    format!("submodule `{}` is left empty: {why}", place.display())
}

fn stays_inside(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}
