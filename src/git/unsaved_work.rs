//! Finds work that exists only in a working tree: uncommitted changes, commits that no remote and no other branch has,
//! and stashes. This starts git, so it is used for one agent on request and never for every list.

use std::path::{Path, PathBuf};

use super::branches::Branches;
use super::command::{Git, GitError};
use super::history::{History, commits};
use super::project;
use super::recover::SetAsideCommits;
use super::submodules::{Submodules, is_deleted_with};
use super::uncommitted::WorkingTreeChanges;
use crate::model::{ChangedFile, Commit, WorktreeState};

/// The upstream of the branch that is checked out.
pub const UPSTREAM: &str = "@{upstream}";

/// Finds work that exists only in a working tree.
#[derive(Debug, Clone, Copy)]
pub struct UnsavedWorkSearch<'a>(pub &'a Git);

impl UnsavedWorkSearch<'_> {
    /// Returns the unsaved work in a tree and its submodules, or `None` outside of a repository. `born_on` is the
    /// branch that the tree was created for.
    pub fn in_tree(&self, top: &Path, born_on: Option<&str>) -> Result<Option<WorktreeState>, GitError> {
        if !top.is_dir() || project(top).is_none() {
            return Ok(None);
        }
        let mut work = WorktreeState {
            changed: WorkingTreeChanges(self.0).list_all(top)?,
            commits: self.count_commits(top, born_on)?,
            stashes: self.stashes(top, born_on)?,
        };
        for path in Submodules(self.0).paths(top)? {
            let Some(inside) = self.in_submodule(top, &path)? else { continue };
            let place = path.to_string_lossy();
            let files = inside.changed.into_iter();
            work.changed
                .extend(files.map(|file| ChangedFile { path: format!("{place}/{}", file.path), ..file }));
            work.commits += inside.commits;
            work.stashes += inside.stashes;
        }
        Ok(Some(work))
    }

    /// Returns the unsaved work in each submodule of a tree.
    pub fn in_submodules(&self, top: &Path) -> Result<Vec<(PathBuf, WorktreeState)>, GitError> {
        let mut found = Vec::new();
        for path in Submodules(self.0).paths(top)? {
            found.extend(self.in_submodule(top, &path)?.map(|work| (path, work)));
        }
        Ok(found)
    }

    fn in_submodule(&self, top: &Path, path: &Path) -> Result<Option<WorktreeState>, GitError> {
        let at = top.join(path);
        // A submodule that was never checked out is an empty directory; git would use the repository around it.
        if !at.join(".git").exists() {
            return Ok(None);
        }
        let mut work = self.in_tree(&at, None)?.unwrap_or_default();
        if is_deleted_with(top, &at) {
            (work.commits, work.stashes) = (Submodules(self.0).local_commits(&at)?, 0);
        }
        Ok(Some(work))
    }

    fn count_commits(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        match self.range_nowhere_else(top, born_on)? {
            Some(range) => History(self.0).count(top, &range.iter().map(String::as_str).collect::<Vec<_>>()),
            None => Ok(0),
        }
    }

    /// Returns the commits of a tree that no remote and no other branch has, the newest first.
    pub fn commits(
        &self,
        top: &Path,
        born_on: Option<&str>,
        at_most: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let Some(range) = self.range_nowhere_else(top, born_on)? else { return Ok(Vec::new()) };
        let most = format!("--max-count={at_most}");
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let range: Vec<&str> = range.iter().map(String::as_str).collect();
        let args = [&["log", "-z", "--format=%h%x00%ct%x00%s", &most][..], &quiet, &range].concat();
        Ok(commits(&self.0.output(top, &[], &args)?))
    }

    /// Returns the arguments that select the commits of a tree that exist nowhere else, or `None` before the first
    /// commit.
    fn range_nowhere_else(&self, top: &Path, born_on: Option<&str>) -> Result<Option<Vec<String>>, GitError> {
        if self.0.commit(top, "HEAD")?.is_none() {
            return Ok(None);
        }
        let mut own: Vec<String> = Branches(self.0).current(top)?.into_iter().collect();
        own.extend(born_on.filter(|born_on| own.first().is_none_or(|now| now != born_on)).map(str::to_owned));
        let mut args = vec!["HEAD".to_owned()];
        for name in own.iter().map(|name| format!("refs/heads/{name}")) {
            if self.0.commit(top, &name)?.is_some() {
                args.push(name);
            }
        }
        args.extend(SetAsideCommits(self.0).list(top)?);
        args.push("--not".to_owned());
        args.extend(own.iter().map(|name| format!("--exclude={name}")));
        // Without the last word, a file that is called `HEAD` would make git refuse the command.
        args.extend(["--branches", "--remotes", "--"].map(str::to_owned));
        Ok(Some(args))
    }

    /// Returns the number of stashes that belong to the tree's branch. All worktrees of a repository share its stashes,
    /// and each stash names the branch on which it was made.
    fn stashes(&self, top: &Path, born_on: Option<&str>) -> Result<u64, GitError> {
        let branch = match born_on {
            Some(branch) => Some(branch.to_owned()),
            None => Branches(self.0).current(top)?,
        };
        let Some(branch) = branch else { return Ok(0) };
        let output = self.0.output(top, &[], &["stash", "list", "-z", "--format=%gs"])?;
        let marks = [format!("WIP on {branch}: "), format!("On {branch}: ")];
        let is_own = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
        Ok(String::from_utf8_lossy(&output).split('\0').filter(is_own).count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::git::merged::MergeDetection;
    use crate::git::recover::{RecoveryCommits, RecoveryPlan};
    use crate::git::review::BaseSearch;
    use crate::git::testing::Repository;
    use crate::model::MergeState;

    #[test]
    fn commits_on_both_sides_are_counted() {
        let repository = Repository::new();
        let (top, git) = (repository.top(), repository.ours());
        repository.commit("base");
        repository.git(&["checkout", "-q", "-b", "fix"]);
        assert!(!Branches(&git).has_upstream(&top));
        repository.commit("one");
        repository.git(&["checkout", "-q", "main"]);
        repository.commit("two");
        repository.commit("three");
        repository.git(&["checkout", "-q", "fix"]);
        assert_eq!(History(&git).ahead_and_behind(&top, "main").unwrap(), Some((1, 2)));
        assert_eq!(History(&git).ahead_and_behind(&top, "no-such").unwrap(), None);
        repository.git(&["branch", "-q", "upstream", "fix"]);
        repository.git(&["branch", "-q", "--set-upstream-to=upstream"]);
        assert!(Branches(&git).has_upstream(&top));
        assert_eq!(History(&git).ahead_and_behind(&top, UPSTREAM).unwrap(), Some((0, 0)));
    }

    /// A worktree with a commit on the branch `work`.
    fn with_a_commit() -> (Repository, PathBuf) {
        let r = Repository::new();
        r.write("readme", "one\n");
        r.commit("first");
        let top = r.dir.path().join("w");
        r.git(&["worktree", "add", "-q", "-b", "work", top.to_str().unwrap()]);
        std::fs::write(top.join("new"), "new\n").unwrap();
        r.git_in(&top, &["add", "-A"]);
        r.git_in(&top, &["commit", "-q", "-m", "work"]);
        (r, top)
    }

    fn unsaved(r: &Repository, top: &Path) -> (Vec<String>, u64) {
        let work = UnsavedWorkSearch(&r.ours()).in_tree(top, Some("work")).unwrap().unwrap();
        (work.changed.into_iter().map(|file| file.path).collect(), work.commits)
    }

    #[test]
    fn replaced_commits_and_grafts_do_not_make_commits_saved() {
        let (r, top) = with_a_commit();
        let git = r.ours();
        let tip = |branch: &str| git.commit(&top, branch).unwrap().unwrap();
        let graft = format!("{} {}\n", tip("main"), tip("work"));
        r.write(".git/info/grafts", &graft);
        assert_eq!(unsaved(&r, &top).1, 1, "a graft");
        std::fs::remove_file(r.top().join(".git/info/grafts")).unwrap();
        r.git(&["replace", "--graft", "main", "work"]);
        assert_eq!(unsaved(&r, &top).1, 1, "a replaced commit");
    }

    #[test]
    fn files_that_are_called_like_commits_change_nothing() {
        let (r, top) = with_a_commit();
        let git = r.ours();
        let tip = git.commit(&top, "work").unwrap().unwrap();
        for name in ["HEAD", "main", "work", "refs/heads/work", tip.as_str()] {
            let file = top.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "x\n").unwrap();
        }
        assert_eq!((unsaved(&r, &top).0.len(), unsaved(&r, &top).1), (5, 1));
        assert_eq!(UnsavedWorkSearch(&git).commits(&top, Some("work"), 9).unwrap().len(), 1);
        assert_eq!(History(&git).ahead_and_behind(&top, "main").unwrap(), Some((1, 0)));
        let mains = BaseSearch(&git).nearest_main_branch(&top, Some("work")).unwrap();
        assert_eq!(mains.map(|base| base.commits), Some(1));
        let scratch = tempfile::tempdir().unwrap();
        let main = git.commit(&top, "main").unwrap().unwrap();
        let state = MergeDetection(&git).state(
            &top,
            (&tip, Some(&main)),
            std::slice::from_ref(&main),
            scratch.path(),
        );
        assert_eq!(state.unwrap(), MergeState::Unmerged(1));
        let plan = RecoveryPlan {
            reference: "refs/symposium/recovered/x",
            subject: "x",
            left_out: &[],
            branch: Some("work"),
            scratch: scratch.path(),
        };
        assert_eq!(RecoveryCommits(&git).store_work(&top, plan).unwrap().len(), 1);
        let stored = |branch| Branches(&git).delete_if_stored(&r.top(), branch, "refs/symposium/recovered/");
        r.git(&["branch", "copy", "main"]);
        assert!(stored("copy").unwrap());
        assert_eq!(Branches(&git).count_own_commits(&top, "work").unwrap(), 0, "HEAD has them");
    }

    #[test]
    fn files_whose_names_differ_only_in_case_are_found() {
        let (r, top) = with_a_commit();
        r.git(&["config", "core.ignoreCase", "true"]);
        std::fs::write(top.join("README"), "two\n").unwrap();
        std::fs::create_dir(top.join("NEW")).unwrap();
        std::fs::write(top.join("NEW/file"), "three\n").unwrap();
        assert_eq!(unsaved(&r, &top).0, ["NEW/file", "README"]);
    }

    #[test]
    fn a_change_that_keeps_size_and_time_is_found() {
        let (r, top) = with_a_commit();
        r.git(&["config", "core.trustctime", "false"]);
        r.git(&["config", "core.checkStat", "minimal"]);
        let file = std::fs::OpenOptions::new().write(true).open(top.join("readme")).unwrap();
        let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
        file.set_modified(past).unwrap();
        r.git_in(&top, &["update-index", "--refresh"]);
        let changed_at = || std::fs::metadata(top.join("readme")).unwrap().ctime();
        let before = changed_at();
        // git compares whole seconds.
        while changed_at() == before {
            std::fs::write(top.join("readme"), "two\n").unwrap();
            file.set_modified(past).unwrap();
        }
        assert_eq!(unsaved(&r, &top).0, ["readme"]);
    }
}
