//! The git adapter: the root of a repository, its current branch, its commits and changes, and worktrees.
//!
//! The functions in this file run at every spawn and for every list: they read files and must never start a process.
//! The other files start git. Among them, `worktree`, `submodules`, `recover` and `checkpoint` write, and for hand-offs
//! also `bundle` and `uncommitted`. They change only worktrees, branches and refs that symposium created; the restore of
//! a checkpoint also changes the files and the index of a working tree. `finish` moves the base
//! branch of an agent forward, and `publish` pushes the branch of an agent.
//!
//! - `command`: the only place that starts git
//! - `filters`: the filters that git may run
//! - `checkout_size`: the size of a commit's files when it is checked out
//! - `verify_worktree`: checks that git reports the state of a worktree
//! - `worktree`: creates and removes worktrees
//! - `submodules`: submodules in a worktree
//! - `hidden_changes`: changes that the index of a worktree hides
//! - `unsaved_work`: work that exists only in a working tree
//! - `history`: commits and uncommitted changes
//! - `merged`: whether the work on a branch has been merged
//! - `review`: the work on a branch, read for a review
//! - `recover`: commits that keep the uncommitted files of a removed working tree
//! - `checkpoint`: a working tree and its index as commits below a private ref
//! - `uncommitted`: uncommitted changes as two patches
//! - `bundle`: the commits of a branch as one file
//! - `finish`: merges a branch into its base without a working tree
//! - `publish`: pushes a branch to a remote

mod bundle;
mod checkout_size;
mod checkpoint;
mod command;
mod filters;
mod finish;
mod hidden_changes;
mod history;
mod merged;
mod publish;
mod recover;
mod review;
mod submodules;
#[cfg(test)]
mod testing;
mod uncommitted;
mod unsaved_work;
mod verify_worktree;
mod worktree;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use checkpoint::{CheckpointPlan, ExactTrees, tracked_files};
pub use command::{Git, GitError};
pub use finish::{BranchMove, CommitIdentity, CommitPlan, ForeignFiles, MergedTree, ReplayedCommits};
pub use merged::UnusedBranch;
pub use publish::PushPlan;
pub use recover::RecoveryPlan;
pub use review::{BaseCandidate, ObjectStore, SnapshotPlan, TreePair, tree_fingerprint};
pub use submodules::Submodule;
pub use uncommitted::ChangeStage;
pub use unsaved_work::UPSTREAM;
pub use verify_worktree::verify_link;
pub use worktree::{BranchPlan, RequestedBranch, WorktreeError};

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
    let shared = match fs::read_to_string(git.join("commondir")) {
        Ok(text) => git.join(text.trim()),
        Err(_) => git,
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

/// Returns the branch that is checked out around a directory, or the first twelve digits of the commit if HEAD is
/// detached.
pub fn branch(dir: &Path) -> Option<String> {
    let git = dir.ancestors().find_map(git_dir)?;
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.lines().next()?.trim();
    match head.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
        }
        None => {
            let is_commit = head.len() >= 12 && head.bytes().all(|b| b.is_ascii_hexdigit());
            is_commit.then(|| head[..12].to_owned())
        }
    }
}

/// Returns the branch that is checked out around a directory, or `None` if HEAD is detached.
pub fn checked_out_branch(dir: &Path) -> Option<String> {
    let git = dir.ancestors().find_map(git_dir)?;
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
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
            let text = fs::read_to_string(&dot_git).ok()?;
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
