//! The periodic work of the supervisor: restarts, heartbeats, notices, clean-up.
//!
//! - `auto_restart`: restarts after a crash
//! - `heartbeat`: prompts that are queued on a schedule
//! - `hang`: detection of hung agents
//! - `notify`: notices to the user
//! - `forward_questions`: questions of a child sent to its parent
//! - `cleanup`: agents whose directory was deleted, old entries
//! - `transcript_writers`: transcript writers that make no progress

pub(in crate::manager) mod auto_restart;
pub(in crate::manager) mod cleanup;
pub(in crate::manager) mod forward_questions;
pub(in crate::manager) mod hang;
pub(in crate::manager) mod heartbeat;
pub(in crate::manager) mod notify;
pub(in crate::manager) mod transcript_writers;

pub use notify::Announcer;
pub use transcript_writers::{WriterRepair, WriterRepairs};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases for the periodic work of the supervisor.
#[derive(Clone, Copy)]
pub struct Maintenance<'a>(pub &'a Context);

/// Restarts agents that have crashed.
#[derive(Clone, Copy)]
pub struct AutoRestart<'a>(pub &'a Context);

/// Detects agents that no longer respond.
#[derive(Clone, Copy)]
pub struct HangDetection<'a>(pub &'a Context);

/// Reports events to the user: desktop, command, attached terminals and other devices.
#[derive(Clone, Copy)]
pub struct Notifications<'a>(pub &'a Context);

/// Repairs the processes that record the output of agents.
#[derive(Clone, Copy)]
pub struct TranscriptWriters<'a>(pub &'a Context);
