//! The life of an agent, from its spawn to the end of its process.
//!
//! A *launch* starts the process of an agent, for the first time or again. `spawn` creates the record and launches;
//! `resume` and `restart` launch an agent that exists; `kill` and `hibernate` end its processes and keep the
//! record.
//!
//! - `spawn`: `agent spawn`
//! - `foreground`: `agent spawn --foreground`
//! - `resume`: `agent resume`
//! - `restart`: `agent restart`
//! - `kill`: `agent kill`
//! - `hibernate`: `agent hibernate` and waking up
//! - `rename`: `agent rename`
//! - `capacity`: the limit on running agents

pub(in crate::manager) mod capacity;
pub(in crate::manager) mod foreground;
pub(in crate::manager) mod hibernate;
pub(in crate::manager) mod kill;
pub(in crate::manager) mod rename;
pub(in crate::manager) mod restart;
pub(in crate::manager) mod resume;
pub(in crate::manager) mod spawn;

pub use restart::ConversationChoice;
pub use resume::Resumed;
pub use spawn::Spawned;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Creates new agents and starts them.
#[derive(Clone, Copy)]
pub struct Spawning<'a>(pub &'a Context);

/// Starts agents again that have ended, and restarts running agents.
#[derive(Clone, Copy)]
pub struct Resumption<'a>(pub &'a Context);

/// Ends the processes of agents.
#[derive(Clone, Copy)]
pub struct Termination<'a>(pub &'a Context);

/// Stops idle agents and wakes them again.
#[derive(Clone, Copy)]
pub struct Hibernation<'a>(pub &'a Context);

/// Enforces the limit on running agents.
#[derive(Clone, Copy)]
pub struct Capacity<'a>(pub &'a Context);

/// Gives agents another name.
#[derive(Clone, Copy)]
pub struct Renaming<'a>(pub &'a Context);
