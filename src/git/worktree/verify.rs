//! Checks that git reports the state of a worktree. An agent can replace its worktree, or change the configuration so
//! that git looks at another directory.

use std::fs;
use std::path::Path;

use super::super::command::GitError;
use super::super::untrusted_file::read_short_file;
use super::super::{common_dir, git_dir, is_linked};
use super::Worktrees;

impl Worktrees<'_> {
    /// Returns an error if git would use another directory or repository for a worktree of `repository`.
    pub fn verify(&self, top: &Path, repository: &Path) -> Result<(), GitError> {
        verify_link(top, repository)?;
        let used = self.0.as_configured().output(top, &[], &["rev-parse", "--show-toplevel"])?;
        let used = String::from_utf8_lossy(&used);
        if fs::canonicalize(used.trim_end_matches('\n')).ok() != fs::canonicalize(top).ok() {
            return unverified("`core.worktree` makes git use another directory");
        }
        Ok(())
    }
}

/// Returns an error if a worktree does not belong to `repository`, or uses the index of another worktree. Starts no
/// process.
pub fn verify_link(top: &Path, repository: &Path) -> Result<(), GitError> {
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
    match is_main_tree(top, repository) || is_named_by_its_git_dir(top) {
        true => Ok(()),
        false => unverified("its `.git` refers to the index of another worktree"),
    }
}

fn is_main_tree(top: &Path, repository: &Path) -> bool {
    matches!((top.canonicalize(), repository.canonicalize()), (Ok(top), Ok(repository)) if top == repository)
}

/// Returns whether the git directory of a linked worktree refers back to the worktree.
fn is_named_by_its_git_dir(top: &Path) -> bool {
    let Some(own) = git_dir(top).filter(|_| is_linked(top)) else { return false };
    let Some(text) = read_short_file(&own.join("gitdir")) else { return false };
    let named = own.join(text.trim_end_matches('\n')).canonicalize();
    matches!((named, top.join(".git").canonicalize()), (Ok(named), Ok(own)) if named == own)
}

fn unverified(why: &str) -> Result<(), GitError> {
    Err(GitError::Unverified(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Git;
    use crate::git::testing::Repository;

    fn refusal(git: &Git, top: &Path, repository: &Path) -> String {
        Worktrees(git).verify(top, repository).expect_err("it is refused").to_string()
    }

    #[test]
    fn a_worktree_that_git_would_not_report_completely_is_refused() {
        let repository = Repository::new();
        let (top, git) = (repository.top(), repository.ours());
        repository.write("a.txt", "a");
        repository.commit("base");
        Worktrees(&git).verify(&top, &top).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        repository.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
        assert!(refusal(&git, &top, &top).contains("another directory"));
        let other = Repository::new();
        assert!(refusal(&git, &other.top(), &top).contains("another repository"));
        let gone = Path::new("/no/such/repository");
        assert!(refusal(&other.ours(), &other.top(), gone).contains("another repository"));
    }

    #[test]
    fn a_worktree_that_uses_the_index_of_another_one_is_refused() {
        let repository = Repository::new();
        let (top, git) = (repository.top(), repository.ours());
        repository.commit("base");
        let at = |name: &str| repository.dir.path().join(name);
        for name in ["one", "two"] {
            repository.git(&["worktree", "add", "-q", "--detach", at(name).to_str().unwrap()]);
            Worktrees(&git).verify(&at(name), &top).unwrap();
        }
        fs::copy(at("two/.git"), at("one/.git")).unwrap();
        assert!(refusal(&git, &at("one"), &top).contains("another worktree"));
        Worktrees(&git).verify(&at("two"), &top).unwrap();
        fs::write(at("one/.git"), format!("gitdir: {}\n", top.join(".git").display())).unwrap();
        assert!(refusal(&git, &at("one"), &top).contains("another worktree"));
    }
}
