//! Reads the work on a branch for a review. Nothing here changes the repository, its index or its working tree.
//!
//! - `snapshot`: the content of a working tree as a tree object
//! - `base`: the commit from which the work on a branch started
//! - `fingerprint`: what the summary of a working tree depends on
//! - `diff`: the difference between two trees, as data or as a patch

mod base;
mod diff;
mod fingerprint;
mod snapshot;

pub(in crate::git) use base::is_copy_of;
pub use base::{BaseCandidate, BaseSearch};
pub use diff::{Diffs, TreePair};
pub use fingerprint::{refs_fingerprint, tree_fingerprint};
pub use snapshot::{ObjectStore, SnapshotPlan, Snapshots};
