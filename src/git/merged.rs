//! Determines whether the work on a branch has been merged: as commits, as rebased commits, or as one squashed commit.
//! Nothing here changes a branch or a working tree.

use std::path::Path;

use super::command::{Git, GitError};
use super::recover::IDENTITY;
use super::review::{BaseSearch, ObjectStore, SnapshotPlan, Snapshots, is_copy_of};
use crate::model::MergeState;

/// A branch without a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedBranch {
    /// Name of the branch.
    pub name: String,
    /// Id of its last commit.
    pub commit: String,
}

/// Determines whether the work on a branch has been merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeDetection<'a>(pub &'a Git);

impl MergeDetection<'_> {
    /// Compares a commit with refs that may contain it. `start` is the commit at which the branch was created, and
    /// `scratch` a directory for temporary files. A ref that does not exist is ignored.
    pub fn state(
        &self,
        dir: &Path,
        (tip, start): (&str, Option<&str>),
        bases: &[String],
        scratch: &Path,
    ) -> Result<MergeState, GitError> {
        let mut fewest = None;
        for base in bases {
            let Some(base) = self.0.commit(dir, base)? else { continue };
            let own = self.0.line(dir, &["rev-list", "--count", tip, "--not", &base, "--"])?;
            let own: u64 = own.parse().unwrap_or(u64::MAX);
            if own == 0 && start == Some(tip) {
                return Ok(MergeState::Empty);
            }
            if own == 0 || self.is_contained(dir, (tip, &base), scratch)? {
                return Ok(MergeState::Merged);
            }
            fewest = Some(fewest.map_or(own, |fewest: u64| fewest.min(own)));
        }
        match fewest {
            Some(own) => Ok(MergeState::Unmerged(own)),
            // Without a base, every commit counts.
            None => {
                let all = self.0.line(dir, &["rev-list", "--count", tip, "--"])?;
                Ok(MergeState::Unmerged(all.parse().unwrap_or(u64::MAX)))
            }
        }
    }

    /// Returns the refs that may contain merged work: the copies of this branch, and the main branches. The refs of
    /// `own` are left out.
    pub fn targets(
        &self,
        dir: &Path,
        branch: Option<&str>,
        own: Option<&str>,
    ) -> Result<Vec<String>, GitError> {
        let mut targets = match branch {
            Some(branch) => BaseSearch(self.0).copies_of(dir, branch)?,
            None => Vec::new(),
        };
        for name in BaseSearch(self.0).main_branches(dir)? {
            if !targets.contains(&name) {
                targets.push(name);
            }
        }
        targets.retain(|name| !own.is_some_and(|own| is_copy_of(name, own)));
        Ok(targets)
    }

    /// Returns whether `base` contains the whole change of `tip`, although not its commits.
    fn is_contained(&self, dir: &Path, (tip, base): (&str, &str), scratch: &Path) -> Result<bool, GitError> {
        let start = match self.0.line(dir, &["merge-base", base, tip]) {
            Ok(start) => start,
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(false),
            Err(error) => return Err(error),
        };
        let tree = |commit: &str| self.0.line(dir, &["rev-parse", &format!("{commit}^{{tree}}")]);
        // Commits that cancel each other out are in no other place.
        if tree(&start)? == tree(tip)? {
            return Ok(false);
        }
        if self.is_rebased(dir, tip, base)? {
            return Ok(true);
        }
        let plan = SnapshotPlan { left_out: &[], scratch, objects: ObjectStore::Scratch };
        let git = Snapshots(self.0).git_for(dir, plan)?;
        let args = ["commit-tree", "-m", "squashed", "-p", &start, &tree(tip)?];
        let squashed = git.output(dir, &IDENTITY.map(str::to_owned), &args)?;
        let squashed = String::from_utf8_lossy(&squashed).trim().to_owned();
        Ok(MergeDetection(&git).is_rebased(dir, &squashed, base)?
            || MergeDetection(&git).merges_to(dir, (tip, base), &tree(base)?)?)
    }

    /// Returns whether `base` has a commit with the same patch for each commit of `tip`.
    fn is_rebased(&self, dir: &Path, tip: &str, base: &str) -> Result<bool, GitError> {
        if self.0.line(dir, &["rev-list", "--count", "--merges", tip, "--not", base, "--"])? != "0" {
            return Ok(false);
        }
        let patches = self.0.line(dir, &["cherry", base, tip])?;
        Ok(!patches.is_empty() && patches.lines().all(|line| line.starts_with('-')))
    }

    /// Returns whether a merge of `tip` into `base` would change nothing.
    fn merges_to(&self, dir: &Path, (tip, base): (&str, &str), tree: &str) -> Result<bool, GitError> {
        // git would run the merge drivers that the repository configures.
        if self.has_own_merge_drivers(dir)? {
            return Ok(false);
        }
        match self.0.line(dir, &["merge-tree", "--write-tree", base, tip]) {
            Ok(merged) => Ok(merged == tree),
            // There are conflicts, or this git has no such option.
            Err(GitError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn has_own_merge_drivers(&self, dir: &Path) -> Result<bool, GitError> {
        let args = ["config", "--show-scope", "--name-only", "--get-regexp", r"^merge\..*\.driver$"];
        match self.0.line(dir, &args) {
            Ok(names) => {
                let is_own = |line: &str| !line.starts_with("global\t") && !line.starts_with("system\t");
                Ok(names.lines().any(is_own))
            }
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Repository;
    use super::*;
    use crate::git::branches::Branches;

    /// Creates a repository with two commits on the branch `work`.
    fn repository() -> Repository {
        let r = Repository::new();
        r.write("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        r.commit("first");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.write("a", "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n");
        r.commit("two");
        r.write("b", "new\n");
        r.commit("new");
        r
    }

    fn state(r: &Repository) -> MergeState {
        let (git, scratch) = (r.ours(), tempfile::tempdir().unwrap());
        let targets = MergeDetection(&git).targets(&r.top(), Some("main"), Some("work")).unwrap();
        let tip = Branches(&git).tip(&r.top(), "work").unwrap().unwrap();
        MergeDetection(&git).state(&r.top(), (&tip, None), &targets, scratch.path()).unwrap()
    }

    fn on_main(r: &Repository) {
        r.git(&["checkout", "-q", "main"]);
        r.write("c", "by others\n");
        r.commit("by others");
    }

    #[test]
    fn merged_rebased_and_squashed_branches_are_merged() {
        let merges: [&[&[&str]]; 3] = [
            &[&["merge", "-q", "--no-ff", "-m", "merge", "work"]],
            &[&["cherry-pick", "work~1", "work"]],
            &[&["merge", "-q", "--squash", "work"], &["commit", "-q", "-m", "squashed"]],
        ];
        for commands in merges {
            let r = repository();
            on_main(&r);
            assert_eq!(state(&r), MergeState::Unmerged(2));
            commands.iter().for_each(|command| r.git(command));
            assert_eq!(state(&r), MergeState::Merged, "{commands:?}");
            // The base may change the same file afterwards.
            r.write("a", "1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n");
            r.commit("later");
            assert_eq!(state(&r), MergeState::Merged, "{commands:?}");
        }
    }

    #[test]
    fn a_part_of_the_change_is_not_merged() {
        let r = repository();
        on_main(&r);
        r.git(&["cherry-pick", "work~1"]);
        assert_eq!(state(&r), MergeState::Unmerged(2));
        // Commits that cancel each other out exist nowhere else.
        r.git(&["checkout", "-q", "work"]);
        r.git(&["reset", "-q", "--hard", "main~1"]);
        r.write("d", "only here\n");
        r.commit("d");
        r.git(&["revert", "--no-edit", "HEAD"]);
        assert_eq!(state(&r), MergeState::Unmerged(2));
    }

    #[test]
    fn a_squash_merge_on_a_remote_counts_and_merge_drivers_do_not_run() {
        let r = repository();
        r.git(&["remote", "add", "origin", "/nowhere"]);
        r.git(&["checkout", "-q", "--detach", "main"]);
        r.write("c", "by others\n");
        r.commit("by others");
        r.git(&["merge", "-q", "--squash", "work"]);
        r.git(&["commit", "-q", "-m", "squashed"]);
        r.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        r.git(&["checkout", "-q", "main"]);
        let marker = r.dir.path().join("marker");
        r.git(&["config", "merge.evil.driver", &format!("touch {}", marker.display())]);
        r.write(".gitattributes", "* merge=evil\n");
        assert_eq!(state(&r), MergeState::Merged);
        assert!(!marker.exists());
        let unused = Branches(&r.ours()).unused(&r.top(), "wo").unwrap();
        assert!(unused.is_empty(), "a prefix is a whole word");
    }
}
