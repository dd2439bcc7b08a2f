//! Types for tasks, messages, events and everything else that happens to agents.
//!
//! - `task`: queued work
//! - `task_status`: the state of a task as it is shown
//! - `message`: messages and the board
//! - `taskspace`: worktree, agent and task as one
//! - `unsaved_work`: work that exists in one place only
//! - `removal`: what is removed with an agent, and what is kept
//! - `recap`: what happened to one agent
//! - `digest`: what happened to all agents
//! - `notice`: notifications
//! - `event`: events in the ledger
//! - `incoming_event`: events that `symposium event` reports
//! - `counters`: event counters

pub(in crate::model) mod counters;
pub(in crate::model) mod digest;
pub(in crate::model) mod event;
pub(in crate::model) mod incoming_event;
pub(in crate::model) mod message;
pub(in crate::model) mod notice;
pub(in crate::model) mod recap;
pub(in crate::model) mod removal;
pub(in crate::model) mod task;
pub(in crate::model) mod task_status;
pub(in crate::model) mod taskspace;
pub(in crate::model) mod unsaved_work;
