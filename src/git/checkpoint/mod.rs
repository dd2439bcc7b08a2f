//! Checkpoints: a working tree and its index as commits below a private ref.
//!
//! - `store`: takes, lists and deletes checkpoints
//! - `exact_bytes`: files that git would not write again as they are
//! - `restore`: brings the files and the index of a checkpoint back
//!
//! The commit of a checkpoint holds the working tree, its parent the index, and the parent of that is HEAD. A second
//! parent holds the files whose bytes git would change when it writes them. Taking a checkpoint uses
//! copies of the index, so HEAD, the index and the files stay as they are.

mod exact_bytes;
mod restore;
mod store;
#[cfg(test)]
mod tests;

pub use exact_bytes::{ExactFiles, ExactTrees};
pub use store::{CheckpointPlan, CheckpointStore, tracked_files};
