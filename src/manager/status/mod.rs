//! The status of agents: events in, registry entries out.
//!
//! An event comes from a hook of the agent CLI or from tmux. Reconciliation compares the registry with one tmux snapshot and repairs what differs.
//!
//! - `events`: `symposium event`
//! - `screen`: reading the screen when output starts, stops or rings the bell
//! - `reconcile`: the registry joined with one tmux snapshot
//! - `ending_server`: a tmux server that was told to end and cannot

pub(in crate::manager) mod ending_server;
pub(in crate::manager) mod events;
pub(in crate::manager) mod reconcile;
pub(in crate::manager) mod screen;
