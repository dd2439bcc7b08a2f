//! Agents on other machines, reached with the OpenSSH client.
//!
//! - `manage`: `host add`, `list`, `remove`
//! - `list`: agents of all hosts
//! - `watch`: the agents of one host after every change, over one connection
//! - `operate`: operations on an agent of another machine
//! - `run`: a command on another machine, repeated safely when the connection was lost
//! - `ask`: a command on another machine whose output this program reads
//! - `screen`: the live screen of an agent on another machine
//! - `attach`: `agent attach HOST:NAME`
//! - `serve`: `symposium remote`, the receiving side

pub(in crate::manager) mod ask;
pub(in crate::manager) mod attach;
pub(in crate::manager) mod list;
pub(in crate::manager) mod manage;
pub(in crate::manager) mod operate;
pub(in crate::manager) mod run;
pub(in crate::manager) mod screen;
pub(in crate::manager) mod serve;
#[cfg(test)]
mod tests;
pub(in crate::manager) mod watch;

pub use attach::{LinkEvent, PreviousClient, RemoteAttach, TAKE, WITHIN_TMUX};
pub use list::{HOST_TIMEOUT, RemoteAgentList};
pub use manage::{HostCheck, HostRequest, HostView, Interaction};
pub use operate::{RemoteAgent, RemoteAnswer};
pub use run::{OutputChunk, OutputPlan, RemoteCommand};
pub use serve::serve;

use crate::manager::Context;

/// Use cases that reach agents on other machines.
#[derive(Clone, Copy)]
pub struct Hosts<'a>(pub &'a Context);
