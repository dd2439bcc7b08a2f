//! The git adapter: the root of a repository, its current branch, its commits and changes, and worktrees.
//!
//! The functions in this file run at every spawn and for every list: they read files and must never start a process.
//! [`Git`] starts git, with its limits and without programs of the repository. Each use of it is a small struct over it,
//! such as `Worktrees(&git).add(…)`, so a call shows what git is used for.
//!
//! `Worktrees`, `Submodules`, `Branches`, `RecoveryCommits` and `CheckpointStore` write, and for hand-offs also `Bundles`
//! and `Patches`. They change only worktrees, branches and refs that symposium created; the restore of a checkpoint also
//! changes the files and the index of a working tree. `TreeUpdates` and `Branches` move the base branch of an agent
//! forward, and `Publication` pushes the branch of an agent.
//!
//! - `command`: [`Git`], the only place that starts git
//! - `filters`: the filters and hooks that git may run
//! - `untrusted_file`: opens files that an agent can replace
//! - `checkout_size`: the size of a commit's files when it is checked out
//! - `worktree`: creates, checks and removes worktrees
//! - `submodules`: submodules in a worktree
//! - `branches`: branches: their names, their deletion, and those without a worktree
//! - `objects`: trees and files in commits
//! - `history`: commits and their order
//! - `uncommitted`: uncommitted changes, as a list or as two patches
//! - `unsaved_work`: work that exists only in a working tree
//! - `merged`: whether the work on a branch has been merged
//! - `review`: the work on a branch, read for a review
//! - `recover`: commits that keep the uncommitted files of a removed working tree
//! - `checkpoint`: a working tree and its index as commits below a private ref
//! - `bundle`: the commits of a branch as one file
//! - `finish`: merges a branch into its base without a working tree
//! - `publish`: pushes a branch to a remote

mod branches;
mod bundle;
mod checkout_size;
mod checkpoint;
mod command;
mod filters;
mod finish;
mod history;
mod merged;
mod objects;
mod publish;
mod recover;
mod review;
mod submodules;
#[cfg(test)]
pub(crate) mod testing;
mod uncommitted;
mod unsaved_work;
mod untrusted_file;
mod worktree;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use branches::Branches;
pub use bundle::Bundles;
pub use checkpoint::{CheckpointPlan, CheckpointStore, ExactFiles, ExactTrees, tracked_files};
pub use command::{Git, GitError};
pub use finish::{
    BranchMove, CommitIdentity, CommitPlan, CommitWriter, ForeignFiles, MergedTree, Merges, OverwriteCheck,
    ReplayedCommits, TreeUpdates, operation_in_progress,
};
pub use history::History;
pub use merged::{MergeDetection, UnusedBranch};
pub use objects::Objects;
pub use publish::{Publication, PushPlan};
pub use recover::{RecoveryCommits, RecoveryPlan, SetAsideCommits};
pub use review::{
    BaseCandidate, BaseSearch, Diffs, ObjectStore, SnapshotPlan, Snapshots, TreePair, refs_fingerprint,
    tree_fingerprint,
};
pub use submodules::{Submodule, Submodules};
pub use uncommitted::{ChangeStage, Index, Patches, WorkingTreeChanges};
pub use unsaved_work::{UPSTREAM, UnsavedWorkSearch};
use untrusted_file::read_short_file;
pub use worktree::{BranchPlan, RequestedBranch, WorktreeError, Worktrees, verify_link};

/// Returns the root of the working tree around a directory.
pub fn project(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|top| git_dir(top).is_some()).map(Path::to_owned)
}

/// Returns the repository that a working tree belongs to: the root of its main working tree, if it has one.
pub fn repository(top: &Path) -> PathBuf {
    let main = common_dir(top).filter(|common| common.ends_with(".git"));
    main.and_then(|common| common.parent().map(Path::to_owned)).unwrap_or_else(|| top.to_owned())
}

/// Returns the git directory that all worktrees of a repository share.
fn common_dir(top: &Path) -> Option<PathBuf> {
    let git = git_dir(top)?;
    let shared = match read_short_file(&git.join("commondir")) {
        Some(text) => git.join(text.trim()),
        None => git,
    };
    shared.canonicalize().ok()
}

/// Adds a pattern to `info/exclude` of a repository, so that git ignores matching files in all of its worktrees. git
/// has no such file for a single worktree.
pub fn exclude(top: &Path, pattern: &str) -> io::Result<()> {
    let Some(common) = common_dir(top) else { return Ok(()) };
    let file = common.join("info/exclude");
    let text = match fs::read_to_string(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    if text.lines().any(|line| line == pattern) {
        return Ok(());
    }
    fs::create_dir_all(common.join("info"))?;
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut out = fs::OpenOptions::new().append(true).create(true).open(file)?;
    out.write_all(format!("{gap}{pattern}\n").as_bytes())
}

/// The branch that git writes into the file HEAD of a repository whose refs are in the format `reftable`, which has the
/// real branch elsewhere.
const BRANCH_ELSEWHERE: &str = ".invalid";

/// Returns the branch that is checked out around a directory, or the first twelve digits of the commit if HEAD is
/// detached. Returns `None` where only git can read it; [`Branches::current`] asks git then.
pub fn branch(dir: &Path) -> Option<String> {
    let git = dir.ancestors().find_map(git_dir)?;
    let head = read_short_file(&git.join("HEAD"))?;
    let head = head.lines().next()?.trim();
    match head.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            let name = name.strip_prefix("refs/heads/").unwrap_or(name);
            (name != BRANCH_ELSEWHERE).then(|| name.to_owned())
        }
        None => {
            let is_commit = head.len() >= 12 && head.bytes().all(|b| b.is_ascii_hexdigit());
            is_commit.then(|| head[..12].to_owned())
        }
    }
}

/// Returns the branch in the file HEAD of the working tree around a directory, or `None` if HEAD is detached.
fn branch_in_head_file(dir: &Path) -> Option<String> {
    let git = dir.ancestors().find_map(git_dir)?;
    let head = read_short_file(&git.join("HEAD"))?;
    Some(head.lines().next()?.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?.to_owned())
}

/// Returns whether a directory is the root of a linked worktree, as opposed to a main working tree or a submodule.
fn is_linked(top: &Path) -> bool {
    git_dir(top).is_some_and(|dir| dir.join("commondir").is_file())
}

/// Returns the git directory of the working tree with this root: `.git` itself, or the directory that the file `.git`
/// refers to.
fn git_dir(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let found = match fs::metadata(&dot_git).ok()? {
        meta if meta.is_dir() => dot_git,
        meta if meta.is_file() => {
            let text = read_short_file(&dot_git)?;
            // The path is relative to the file in submodules and absolute in worktrees.
            top.join(text.strip_prefix("gitdir:")?.trim())
        }
        _ => return None,
    };
    found.join("HEAD").is_file().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.replace("{}", dir.path().to_str().unwrap())).unwrap();
        }
        dir
    }

    #[test]
    fn a_repository_is_found_from_deep_below() {
        let dir = layout(&[("r/.git/HEAD", "ref: refs/heads/fix/login\n"), ("r/a/b/file", "")]);
        let deep = dir.path().join("r/a/b");
        assert_eq!(project(&deep), Some(dir.path().join("r")));
        assert_eq!(branch(&deep).as_deref(), Some("fix/login"));
        assert_eq!(project(dir.path()), None);
        assert_eq!(branch(dir.path()), None);
    }

    #[test]
    fn a_worktree_and_a_submodule_have_their_own_branch() {
        let dir = layout(&[
            ("r/.git/HEAD", "ref: refs/heads/main\n"),
            ("r/.git/worktrees/w/HEAD", "ref: refs/heads/side\n"),
            ("w/.git", "gitdir: {}/r/.git/worktrees/w\n"),
            ("r/.git/modules/m/HEAD", "0123456789abcdef0123456789abcdef01234567\n"),
            ("r/m/.git", "gitdir: ../.git/modules/m\n"),
        ]);
        let at = |path: &str| dir.path().join(path);
        assert_eq!((project(&at("w")), branch(&at("w")).as_deref()), (Some(at("w")), Some("side")));
        assert_eq!(
            (project(&at("r/m")), branch(&at("r/m")).as_deref()),
            (Some(at("r/m")), Some("0123456789ab"))
        );
        assert_eq!(branch(&at("r")).as_deref(), Some("main"));
    }

    #[test]
    fn fake_repository_is_ignored() {
        let dir = layout(&[
            ("r/.git/HEAD", "ref: refs/heads/main\n"),
            ("r/empty/.git/config", ""),
            ("r/text/.git", "hello\n"),
            ("r/gone/.git", "gitdir: /no/such/place\n"),
        ]);
        for path in ["r/empty", "r/text", "r/gone"] {
            let path = dir.path().join(path);
            assert_eq!(project(&path), Some(dir.path().join("r")), "{path:?}");
            assert_eq!(branch(&path).as_deref(), Some("main"));
        }
    }

    #[test]
    fn an_unreadable_head_gives_no_branch() {
        for text in ["", "\n", "short", "not hexadecimal digits\n", "0123456789äbcdef"] {
            let dir = layout(&[(".git/HEAD", text)]);
            assert_eq!(branch(dir.path()), None, "{text:?}");
        }
    }
}
