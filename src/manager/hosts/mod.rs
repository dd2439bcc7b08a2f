//! Agents on other machines, reached with the OpenSSH client.
//!
//! - `manage`: `host add`, `list`, `remove`
//! - `list`: agents of all hosts
//! - `run`: a command on another machine, repeated safely when the connection was lost
//! - `attach`: `agent attach HOST:NAME`
//! - `serve`: `symposium remote`, the receiving side

pub(in crate::manager) mod attach;
pub(in crate::manager) mod list;
pub(in crate::manager) mod manage;
pub(in crate::manager) mod run;
pub(in crate::manager) mod serve;

use crate::manager::Context;

/// Use cases that reach agents on other machines.
#[derive(Clone, Copy)]
pub struct Hosts<'a>(pub &'a Context);
