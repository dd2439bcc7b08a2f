//! Decisions about work in workspaces.
//!
//! - `unsaved_work`: describes unsaved work in sentences
//! - `discard`: describes what `agent discard` removes
//! - `finish`: how work gets into the base branch
//! - `pull_requests`: the pull request of a branch in the list of a forge
//! - `recovery`: copies of removed work
//! - `checkpoints`: limits on checkpoints
//! - `ports`: port ranges of worktrees
//! - `sweep`: worktrees and branches that are not needed any more
//! - `handoff`: contents and effects of a hand-off

pub mod checkpoints;
pub mod discard;
pub mod finish;
pub mod handoff;
pub mod ports;
pub mod pull_requests;
pub mod recovery;
pub mod sweep;
pub mod unsaved_work;
