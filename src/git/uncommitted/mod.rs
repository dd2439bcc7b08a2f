//! Uncommitted changes: what the index and the files of a working tree have that HEAD lacks.
//!
//! - `changes`: the changed files, also those that the index hides
//! - `index`: the tree and the conflicts of the index, and marks in it that hide changes
//! - `listing`: the index and the changes, listed by one git process
//! - `patches`: the changes as two patches

mod changes;
mod index;
mod listing;
mod patches;

pub(super) use changes::WITHOUT_SPARSE_CHECKOUT;
pub use changes::WorkingTreeChanges;
pub use index::Index;
pub(super) use listing::{GITLINK, TreeListing};
pub use patches::{ChangeStage, Patches};
pub(super) use patches::{NAMES_AS_THEY_ARE, copy_of_index};
