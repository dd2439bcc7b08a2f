//! Recovery commits: uncommitted and untracked files of a working tree, stored under a ref before the tree is deleted.
//!
//! The working tree, its index and its branch stay as they are. Ignored files are not stored.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::command::{Also, Git, GitError};
use super::common_dir;
use super::uncommitted::copy_of_index;

/// Identity of recovery commits. Without one, git refuses to commit where the user has configured none.
const IDENTITY: [&str; 3] = ["user.name=symposium", "user.email=symposium@localhost", "commit.gpgSign=false"];

/// The location and the content of the recovery commits for one removal.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryPlan<'a> {
    /// Full name of the ref to create.
    pub reference: &'a str,
    /// Subject line of the commit.
    pub subject: &'a str,
    /// Pathspecs that exclude untracked files.
    pub left_out: &'a [String],
    /// Directory for temporary files.
    pub scratch: &'a Path,
}

impl Git {
    /// Stores the work of a tree and its submodules and returns the repositories that got a recovery commit.
    ///
    /// Fails if git cannot store all of it: an embedded repository, an unreadable file, or a submodule whose repository
    /// is deleted together with the tree.
    pub fn store_work(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<Vec<PathBuf>, GitError> {
        let Some(common) = common_dir(top) else { return Err(failed("add", "this is no working tree")) };
        let mut stored = Vec::new();
        for path in self.submodule_paths(top)?.iter().map(|path| top.join(path)) {
            if !path.join(".git").exists() {
                continue;
            }
            let inner = self.store_work(&path, RecoveryPlan { left_out: &[], ..plan })?;
            if inner.iter().any(|repository| repository.starts_with(common.join("worktrees"))) {
                return Err(failed("add", "the repository of a submodule belongs to this worktree"));
            }
            stored.extend(inner);
        }
        if self.store_tree(top, plan)? {
            stored.push(match common.ends_with(".git") {
                true => common.parent().map_or_else(|| common.clone(), Path::to_owned),
                false => common,
            });
        }
        Ok(stored)
    }

    /// Stores the work of one tree without its submodules and returns whether there was any.
    fn store_tree(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<bool, GitError> {
        if !self.repositories_below(top)?.is_empty() {
            return Err(failed("add", "a repository of its own lies in the working tree"));
        }
        let tree = self.tree_with_changes(top, plan)?;
        let head = self.commit(top, "HEAD")?;
        let is_clean = match &head {
            Some(head) => self.line(top, &["rev-parse", &format!("{head}^{{tree}}")])? == tree,
            None => false,
        };
        if is_clean && self.is_on_a_branch(top, head.as_deref())? {
            return Ok(false);
        }
        let mut args = vec!["commit-tree", &tree, "-m", plan.subject];
        args.extend(head.iter().flat_map(|head| ["-p", head]));
        let said = self.ask(top, &IDENTITY.map(str::to_owned), &args)?;
        let commit = String::from_utf8_lossy(&said).trim().to_owned();
        self.ask(top, &[], &["update-ref", plan.reference, &commit])?;
        Ok(true)
    }

    /// Returns whether a branch or a remote has the commit, so that it outlives the worktree.
    fn is_on_a_branch(&self, top: &Path, head: Option<&str>) -> Result<bool, GitError> {
        let Some(head) = head else { return Ok(true) };
        let args = ["rev-list", "--count", head, "--not", "--branches", "--remotes"];
        Ok(self.line(top, &args)? == "0")
    }

    /// Writes a tree object with everything in the working tree that git does not ignore.
    fn tree_with_changes(&self, top: &Path, plan: RecoveryPlan<'_>) -> Result<String, GitError> {
        let off = self.own_filters_off(top)?;
        let own = top.join(self.line(top, &["rev-parse", "--git-path", "index"])?);
        let (index, list) = (plan.scratch.join("index"), plan.scratch.join("paths"));
        // Removes the index of a submodule that was stored before.
        let _ = fs::remove_file(&index);
        copy_of_index(&own, &index).map_err(|error| failed("add", &error.to_string()))?;
        // git would start a second git in a submodule, with the submodule's own configuration.
        let submodules = self.gitlinks(top)?.into_iter().map(|path| format!(":(top,exclude,literal){path}"));
        let paths: Vec<String> =
            std::iter::once(".".to_owned()).chain(plan.left_out.iter().cloned()).chain(submodules).collect();
        fs::write(&list, paths.join("\0") + "\0").map_err(|error| failed("add", &error.to_string()))?;
        let from = format!("--pathspec-from-file={}", list.display());
        let add = ["add", "--all", "--pathspec-file-nul", &from];
        self.ask_with(top, &off, &add, Also { input: None, index: Some(&index) })?;
        let said = self.ask_with(top, &off, &["write-tree"], Also { input: None, index: Some(&index) })?;
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    }

    /// Returns the paths that the index records as submodules.
    fn gitlinks(&self, top: &Path) -> Result<Vec<String>, GitError> {
        self.stream(top, &[], &["ls-files", "--stage", "-z"], |said| {
            let mut found = Vec::new();
            for entry in BufReader::new(said).split(0) {
                let entry = entry.map_err(|error| failed("ls-files", &error.to_string()))?;
                if let Some(rest) = entry.strip_prefix(b"160000 ")
                    && let Some(tab) = rest.iter().position(|byte| *byte == b'\t')
                {
                    found.push(String::from_utf8_lossy(&rest[tab + 1..]).into_owned());
                }
            }
            Ok(found)
        })
    }

    /// Deletes the refs below a prefix whose commits were made before a time.
    pub fn delete_refs_before(
        &self,
        repository: &Path,
        prefix: &str,
        before: Timestamp,
    ) -> Result<(), GitError> {
        let args = ["for-each-ref", "--format=%(creatordate:unix) %(refname)", prefix];
        let said = self.ask(repository, &[super::submodules::INSIDE_GIT.to_owned()], &args)?;
        for line in String::from_utf8_lossy(&said).lines() {
            let Some((made, name)) = line.split_once(' ') else { continue };
            if made.parse::<i64>().is_ok_and(|made| made <= before.as_second()) {
                let inside = [super::submodules::INSIDE_GIT.to_owned()];
                self.ask(repository, &inside, &["update-ref", "-d", name])?;
            }
        }
        Ok(())
    }

    /// Returns git's answer as one line.
    fn line(&self, dir: &Path, args: &[&str]) -> Result<String, GitError> {
        let said = self.ask(dir, &[], args)?;
        Ok(String::from_utf8_lossy(&said).trim_end_matches('\n').to_owned())
    }
}

fn failed(what: &str, said: &str) -> GitError {
    GitError::Failed { what: what.to_owned(), said: said.to_owned() }
}

#[cfg(test)]
mod tests;
