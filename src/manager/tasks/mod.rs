//! The task queue: the work of agents, from `task add` to the result.
//!
//! A task is *queued*, then *dispatched* (typed into an idle agent), and *finished* when its turn, its agent or its
//! time is over.
//!
//! - `add`: `task add`
//! - `manage`: `task list`, `show`, `cancel`, `retry`, `progress`, `done`, `fail`
//! - `wait`: `task wait`
//! - `finish`: the end of tasks
//! - `topic`: files that are handed over with a task

pub(in crate::manager) mod add;
pub(in crate::manager) mod finish;
pub(in crate::manager) mod manage;
pub(in crate::manager) mod topic;
pub(in crate::manager) mod wait;

pub use add::{TaskAdded, TaskRequest};
pub use manage::{TaskFilter, TaskShown, TaskView};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Manages queued tasks.
#[derive(Clone, Copy)]
pub struct Tasks<'a>(pub &'a Context);

/// Ends tasks whose agent has finished or disappeared.
#[derive(Clone, Copy)]
pub struct TaskCompletion<'a>(pub &'a Context);
