//! The life of an agent, from its spawn to the end of its process.
//!
//! A *launch* starts the process of an agent, for the first time or again. `spawn` creates the record and launches;
//! `resume`, `restart` and `restore` launch an agent that exists; `kill` and `hibernate` end its processes and keep the
//! record.
//!
//! - `spawn`: `agent spawn`
//! - `launch`: the start that spawn, resume, restart and restore share
//! - `initial_prompt`: the first task, kept until the agent has accepted it
//! - `foreground`: `agent spawn --foreground`
//! - `resume`: `agent resume`
//! - `restart`: `agent restart`
//! - `restore`: `agent restore`
//! - `kill`: `agent kill`
//! - `hibernate`: `agent hibernate` and waking up
//! - `rename`: `agent rename`
//! - `capacity`: the limit on running agents
//! - `children`: parents and children
//! - `editor_socket`: the connection from an agent to the editor that shows it
//! - `missing_variables`: variables that the agent had and this shell lacks

pub(in crate::manager) mod capacity;
pub(in crate::manager) mod children;
pub(in crate::manager) mod editor_socket;
pub(in crate::manager) mod foreground;
pub(in crate::manager) mod hibernate;
pub(in crate::manager) mod initial_prompt;
pub(in crate::manager) mod kill;
pub(in crate::manager) mod launch;
pub(in crate::manager) mod missing_variables;
pub(in crate::manager) mod rename;
pub(in crate::manager) mod restart;
pub(in crate::manager) mod restore;
pub(in crate::manager) mod resume;
pub(in crate::manager) mod spawn;

use crate::manager::Context;

/// Starts and ends agents.
#[derive(Clone, Copy)]
pub struct Lifecycle<'a>(pub &'a Context);
