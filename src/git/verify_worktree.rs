//! Checks that git reports the state of a worktree. An agent can replace its worktree, or change the configuration so
//! that git looks at another directory.

use std::fs;
use std::path::Path;

use super::command::{Git, GitError};
use super::common_dir;

impl Git {
    /// Returns an error if git would use another directory or repository for a worktree of `repository`.
    pub fn verify_worktree(&self, top: &Path, repository: &Path) -> Result<(), GitError> {
        let is_directory = fs::symlink_metadata(top).is_ok_and(|entry| entry.is_dir());
        if !is_directory {
            return unverified("the worktree was replaced by something else");
        }
        let own = common_dir(top);
        let is_foreign = match common_dir(repository) {
            Some(expected) => own != Some(expected),
            // The repository was deleted or moved. One that is inside of the worktree would be deleted with it.
            None => match (own, top.canonicalize()) {
                (Some(own), Ok(top)) => own.starts_with(top),
                _ => true,
            },
        };
        if is_foreign {
            return unverified("the worktree belongs to another repository now");
        }
        let used = self.as_configured().output(top, &[], &["rev-parse", "--show-toplevel"])?;
        let used = String::from_utf8_lossy(&used);
        if fs::canonicalize(used.trim_end_matches('\n')).ok() != fs::canonicalize(top).ok() {
            return unverified("`core.worktree` makes git use another directory");
        }
        Ok(())
    }
}

fn unverified(why: &str) -> Result<(), GitError> {
    Err(GitError::Unverified(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::testing::Repository;

    fn refusal(git: &Git, top: &Path, repository: &Path) -> String {
        git.verify_worktree(top, repository).expect_err("it is refused").to_string()
    }

    #[test]
    fn a_worktree_that_git_would_not_report_completely_is_refused() {
        let repository = Repository::new();
        let (top, git) = (repository.top(), repository.ours());
        repository.write("a.txt", "a");
        repository.commit("base");
        git.verify_worktree(&top, &top).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        repository.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
        assert!(refusal(&git, &top, &top).contains("another directory"));
        let other = Repository::new();
        assert!(refusal(&git, &other.top(), &top).contains("another repository"));
        let gone = Path::new("/no/such/repository");
        assert!(refusal(&other.ours(), &other.top(), gone).contains("another repository"));
    }
}
