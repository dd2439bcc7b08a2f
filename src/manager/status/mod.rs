//! The status of agents: events in, registry entries out.
//!
//! An event comes from a hook of the agent CLI or from tmux. Reconciliation compares the registry with one tmux
//! snapshot and repairs what differs.
//!
//! - `activity`: the last tool or line of output of a working agent
//! - `screen`: reading the screen when output starts, stops or rings the bell
//! - `reconcile`: comparing the registry with one tmux snapshot
//! - `ending_server`: a tmux server that was asked to exit and cannot
//! - `lookup`: one agent by its name
//! - `evidence`: reports that hooks left in the state directory
//! - `last_lines`: the last lines of an agent that ended
//! - `pane_exit`: waiting until tmux has noticed the end of a process
//! - `shared_directory`: agents that work in the directory of another agent
//! - `publish_status`: the status of an agent for the status line of its clients

pub(in crate::manager) mod activity;
pub(in crate::manager) mod ending_server;
pub(in crate::manager) mod evidence;
pub(in crate::manager) mod last_lines;
pub(in crate::manager) mod lookup;
pub(in crate::manager) mod pane_exit;
pub(in crate::manager) mod publish_status;
pub(in crate::manager) mod reconcile;
pub(in crate::manager) mod screen;
pub(in crate::manager) mod shared_directory;

pub use reconcile::AgentList;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Reconciles the registry with tmux, and publishes the status of agents.
#[derive(Clone, Copy)]
pub struct StatusTracker<'a>(pub &'a Context);

/// Finds one agent and its current status.
#[derive(Clone, Copy)]
pub struct AgentLookup<'a>(pub &'a Context);

/// Derives the status of an agent from its screen.
#[derive(Clone, Copy)]
pub struct ScreenObserver<'a>(pub &'a Context);

/// Detects panes and tmux servers that end.
#[derive(Clone, Copy)]
pub struct TmuxObserver<'a>(pub &'a Context);

/// Reads the reports and the output that an agent left in its instance directory.
#[derive(Clone, Copy)]
pub struct AgentEvidence<'a>(pub &'a Context);
