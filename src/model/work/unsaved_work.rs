//! Work that is in one place only: what would be lost, or easily forgotten, if that place were removed.

use serde::Serialize;

use crate::model::ChangedFile;

/// What is in a working tree and nowhere else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// Files that are changed and not committed.
    pub changed: Vec<ChangedFile>,
    /// Commits that are on no remote and no other branch.
    pub commits: u64,
    /// Stashes that were made on its branch.
    pub stashes: u64,
}

impl Work {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Work::default()
    }
}

/// The same in numbers, with what the place takes on disk. The field names are a public contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WorkCounts {
    /// Files that are changed and not committed; none where git could not tell.
    pub changed: Option<usize>,
    /// Commits that are on no remote and no other branch.
    pub ahead: Option<u64>,
    /// Stashes that were made on its branch.
    pub stashes: Option<u64>,
    /// Bytes on disk of a workspace of its own.
    pub size: Option<u64>,
}
