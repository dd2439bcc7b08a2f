//! Decisions about work in workspaces.
//!
//! - `unsaved_work`: describes unsaved work in sentences
//! - `recovery`: copies of removed work
//! - `handoff`: contents and effects of a hand-off

pub mod handoff;
pub mod recovery;
pub mod unsaved_work;
