//! Merges the work of a branch into its base without a working tree, and moves the base branch.
//!
//! The result is computed with objects only, so a conflict leaves nothing behind. The base branch moves only if it still
//! is at the commit that the result was computed from.
//!
//! - `merge`: the merged tree of two commits, or the conflicts between them
//! - `commit`: commit objects, new or copied onto another parent
//! - `base_branch`: where a branch is checked out, and moving it
//! - `in_the_way`: files that git would overwrite although it does not have their content
//! - `tree_update`: changing the files of a working tree, and settling a change that was interrupted
//! - `operation`: rebases, merges and other operations that stopped half-way in a working tree

mod base_branch;
mod commit;
mod in_the_way;
mod merge;
mod operation;
mod tree_update;

pub use base_branch::BranchMove;
pub use commit::{CommitIdentity, CommitPlan, CommitWriter, ReplayedCommits};
pub use in_the_way::OverwriteCheck;
pub use merge::{MergedTree, Merges};
pub use operation::operation_in_progress;
pub use tree_update::{ForeignFiles, TreeUpdates};
