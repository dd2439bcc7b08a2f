//! Repositories of submodules that are deleted together with a worktree, because they are inside of it or in its git
//! directory. `git submodule add` and `git submodule update --init` create them there.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::command::GitError;
use super::super::{common_dir, git_dir};
use super::Submodules;

/// Name of the directory in a submodule that gets a copy of its repository.
const EMBEDDED: &str = ".git-repository";

impl Submodules<'_> {
    /// Returns the number of commits in a repository that no remote has, stashes included.
    pub(in crate::git) fn local_commits(&self, top: &Path) -> Result<u64, GitError> {
        let mut args = vec!["rev-list", "--count", "--all"];
        args.extend(self.0.head(top)?.map(|_| "HEAD"));
        args.extend(["--not", "--remotes", "--"]);
        Ok(self.0.line(top, &args)?.parse().unwrap_or(u64::MAX))
    }

    /// Copies the repositories of submodules that are in the git directory of a worktree into the submodules, so that a
    /// copy of the directory contains them. `repository` owns the worktree.
    pub fn embed(&self, top: &Path, repository: &Path) -> Result<(), GitError> {
        let Some(worktrees) = common_dir(repository).map(|common| common.join("worktrees")) else {
            return Ok(());
        };
        for submodule in self.paths(top)?.iter().map(|path| top.join(path)) {
            let own = git_dir(&submodule).and_then(|dir| dir.canonicalize().ok());
            if let Some(own) = own.filter(|own| own.starts_with(&worktrees)) {
                embed(&own, &submodule).map_err(|error| failed(&submodule, &error))?;
                // The path was relative to the old place.
                let config = submodule.join(EMBEDDED).join("config").to_string_lossy().into_owned();
                let _ =
                    self.0.output(top, &[], &["config", "--file", &config, "--unset-all", "core.worktree"]);
            }
        }
        Ok(())
    }
}

/// Returns whether the repository of a submodule is deleted together with the worktree around it.
pub(in crate::git) fn is_deleted_with(top: &Path, submodule: &Path) -> bool {
    let (Some(common), Some(own)) = (common_dir(top), common_dir(submodule)) else { return true };
    let is_inside = top.canonicalize().is_ok_and(|top| own.starts_with(top));
    own.starts_with(common.join("worktrees")) || (is_inside && !own.starts_with(&common))
}

/// Copies the repository of a submodule into the submodule and lets the file `.git` refer to the copy. The file is
/// replaced last, so that an interruption leaves the original in use.
fn embed(own: &Path, submodule: &Path) -> io::Result<()> {
    let copy = submodule.join(EMBEDDED);
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    copy_directory(own, &copy)?;
    fs::create_dir_all(copy.join("info"))?;
    let mut exclude = fs::OpenOptions::new().append(true).create(true).open(copy.join("info/exclude"))?;
    exclude.write_all(format!("\n/{EMBEDDED}/\n").as_bytes())?;
    let reference = submodule.join(format!("{EMBEDDED}.new"));
    fs::write(&reference, format!("gitdir: {EMBEDDED}\n"))?;
    fs::rename(reference, submodule.join(".git"))
}

fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let target: PathBuf = to.join(entry.file_name());
        if kind.is_dir() {
            copy_directory(&path, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

fn failed(submodule: &Path, error: &io::Error) -> GitError {
    GitError::Failed {
        what: "submodule".to_owned(),
        output: format!("the repository of {} cannot be copied: {error}", submodule.display()),
    }
}
