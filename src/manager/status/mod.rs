//! The status of agents: events in, registry entries out.
//!
//! An event comes from a hook of the agent CLI or from tmux. Reconciliation compares the registry with one tmux
//! snapshot and repairs what differs.
//!
//! - `screen`: reading the screen when output starts, stops or rings the bell
//! - `reconcile`: comparing the registry with one tmux snapshot
//! - `ending_server`: a tmux server that was asked to exit and cannot
//! - `lookup`: one agent by its name
//! - `evidence`: reports that hooks left in the state directory
//! - `last_lines`: the last lines of an agent that ended
//! - `pane_exit`: waiting until tmux has noticed the end of a process
//! - `status_line`: the status line of attached clients

pub(in crate::manager) mod ending_server;
pub(in crate::manager) mod evidence;
pub(in crate::manager) mod last_lines;
pub(in crate::manager) mod lookup;
pub(in crate::manager) mod pane_exit;
pub(in crate::manager) mod reconcile;
pub(in crate::manager) mod screen;
pub(in crate::manager) mod status_line;

use crate::manager::Context;

/// Keeps the status of agents up to date.
#[derive(Clone, Copy)]
pub struct StatusTracker<'a>(pub &'a Context);
