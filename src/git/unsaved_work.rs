//! Finds work that exists only in a working tree: uncommitted changes, commits that no remote and no other branch has,
//! and stashes. This starts git, so it is used for one agent on request and never for every list.

use std::path::Path;

use super::command::{Git, GitError};
use super::history::changed_files;
use super::{branch, project};
use crate::model::{ChangedFile, Work};

impl Git {
    /// Returns the unsaved work in a tree and its submodules, or `None` outside of a repository. `born_on` is the
    /// branch that the tree was created for.
    pub fn work(&self, top: &Path, born_on: Option<&str>) -> Result<Option<Work>, GitError> {
        if !top.is_dir() || project(top).is_none() {
            return Ok(None);
        }
        let mut work = Work {
            changed: self.uncommitted(top)?,
            commits: self.commits_nowhere_else(top, born_on)?,
            stashes: self.stashes(top, born_on)?,
        };
        for path in self.submodule_paths(top)?.iter().map(|path| top.join(path)) {
            // A submodule that was never checked out is an empty directory; git would use the repository around it.
            if !path.join(".git").exists() {
                continue;
            }
            let inside = self.work(&path, None)?.unwrap_or_default();
            let place = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
            let files = inside.changed.into_iter();
            work.changed
                .extend(files.map(|file| ChangedFile { path: format!("{place}/{}", file.path), ..file }));
            work.commits += inside.commits;
            work.stashes += inside.stashes;
        }
        Ok(Some(work))
    }

    /// Returns the changed and untracked files of a tree, without those in submodules.
    pub fn uncommitted(&self, top: &Path) -> Result<Vec<ChangedFile>, GitError> {
        let off = self.own_filters_off(top)?;
        let every = ["--untracked-files=all", "--ignore-submodules=all", "--no-renames"];
        let args = [&["status", "--porcelain=v1", "-z"][..], &every].concat();
        Ok(changed_files(&self.ask(top, &off, &args)?))
    }

    fn commits_nowhere_else(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        if self.commit(top, "HEAD")?.is_none() {
            return Ok(0);
        }
        let mut own: Vec<String> = branch(top).into_iter().collect();
        own.extend(born_on.filter(|born_on| own.first().is_none_or(|now| now != born_on)).map(str::to_owned));
        let mut args = vec!["rev-list".to_owned(), "--count".to_owned(), "HEAD".to_owned()];
        for name in own.iter().map(|name| format!("refs/heads/{name}")) {
            if self.commit(top, &name)?.is_some() {
                args.push(name);
            }
        }
        args.push("--not".to_owned());
        args.extend(own.iter().map(|name| format!("--exclude={name}")));
        args.extend(["--branches", "--remotes"].map(str::to_owned));
        self.count(top, &args)
    }

    /// Returns the number of commits on a branch that no remote, no other branch and no HEAD in this tree has.
    pub(super) fn own_commits(&self, dir: &Path, branch: &str) -> Result<u64, GitError> {
        let (name, but) = (format!("refs/heads/{branch}"), format!("--exclude={branch}"));
        let args = ["rev-list", "--count", &name, "--not", &but, "--branches", "--remotes", "HEAD"];
        self.count(dir, &args.map(str::to_owned))
    }

    fn count(&self, dir: &Path, args: &[String]) -> Result<u64, GitError> {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = self.ask(dir, &[], &args)?;
        let said = String::from_utf8_lossy(&said);
        said.trim().parse().map_err(|_| GitError::Failed {
            what: "rev-list".to_owned(),
            said: format!("`{}` is not a number", said.trim()),
        })
    }

    /// Returns the number of stashes that belong to the tree's branch. All worktrees of a repository share its stashes,
    /// and each stash names the branch on which it was made.
    fn stashes(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        let Some(branch) = born_on.map(str::to_owned).or_else(|| branch(top)) else { return Ok(0) };
        let said = self.ask(top, &[], &["stash", "list", "-z", "--format=%gs"])?;
        let marks = [format!("WIP on {branch}: "), format!("On {branch}: ")];
        let is_own = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
        Ok(String::from_utf8_lossy(&said).split('\0').filter(is_own).count() as u64)
    }

    /// Returns the commit that a name refers to, or `None` if there is none.
    pub(super) fn commit(&self, dir: &Path, name: &str) -> Result<Option<String>, GitError> {
        let named = format!("{name}^{{commit}}");
        match self.ask(dir, &[], &["rev-parse", "--verify", "--quiet", &named]) {
            Ok(said) => Ok(Some(String::from_utf8_lossy(&said).trim().to_owned())),
            Err(GitError::Failed { said, .. }) if said.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
