//! Types for tasks, messages, events and everything else that happens to agents.
//!
//! - `task`: queued work
//! - `task_status`: the state of a task as it is shown
//! - `message`: messages and the board
//! - `taskspace`: a worktree, an agent and its task as one unit
//! - `unsaved_work`: work that exists nowhere else
//! - `checkpoint`: the state of a working tree before a turn
//! - `diff`: the changes that an agent made since its base
//! - `review`: comments on lines of the changes, and the files that were read
//! - `removal`: work that is deleted with an agent, and its recovery copy
//! - `recap`: summary of what happened to one agent
//! - `digest`: recap of all agents and tasks
//! - `notice`: notifications
//! - `event`: events in the ledger
//! - `incoming_event`: events that `symposium event` reports
//! - `counters`: event counters

pub(in crate::model) mod checkpoint;
pub(in crate::model) mod counters;
pub(in crate::model) mod diff;
pub(in crate::model) mod digest;
pub(in crate::model) mod event;
pub(in crate::model) mod incoming_event;
pub(in crate::model) mod message;
pub(in crate::model) mod notice;
pub(in crate::model) mod recap;
pub(in crate::model) mod removal;
pub(in crate::model) mod review;
pub(in crate::model) mod task;
pub(in crate::model) mod task_status;
pub(in crate::model) mod taskspace;
pub(in crate::model) mod unsaved_work;
