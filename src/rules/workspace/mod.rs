//! Decisions about work in workspaces.
//!
//! - `unsaved_work`: unsaved work in sentences
//! - `recovery`: copies of removed work
//! - `handoff`: what a hand-off contains and does

pub mod handoff;
pub mod recovery;
pub mod unsaved_work;
