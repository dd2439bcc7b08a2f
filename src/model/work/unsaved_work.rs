//! Unsaved work: files, commits and stashes that would be lost if their workspace were removed.

use serde::Serialize;

use crate::model::ChangedFile;

/// Work in a working tree that exists nowhere else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// Files with uncommitted changes.
    pub changed: Vec<ChangedFile>,
    /// Number of commits that no remote and no other branch has.
    pub commits: u64,
    /// Number of stashes made on its branch.
    pub stashes: u64,
}

impl Work {
    /// Returns whether there is no unsaved work.
    pub fn is_none(&self) -> bool {
        *self == Work::default()
    }
}

/// Unsaved work in numbers, with the disk usage of the workspace. The field names are a public contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WorkCounts {
    /// Number of files with uncommitted changes; `None` if git could not report them.
    pub changed: Option<usize>,
    /// Number of commits that no remote and no other branch has.
    pub ahead: Option<u64>,
    /// Number of stashes made on the branch.
    pub stashes: Option<u64>,
    /// Disk usage in bytes of a workspace that belongs to the agent alone.
    pub size: Option<u64>,
}
