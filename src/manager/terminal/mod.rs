//! Operations on a running agent: attach, type, answer, read.
//!
//! - `attach`: `agent attach`
//! - `detach`: `agent detach`
//! - `driver`: which of several clients may type
//! - `send`: `agent send`, with verified delivery
//! - `approve`: `agent approve` and `deny`
//! - `answer`: `agent answer`
//! - `deny_because`: `agent deny --because`
//! - `interrupt`: `agent interrupt`
//! - `peek`: `agent peek`
//! - `logs`: `agent logs`
//! - `wait`: `agent wait`
//! - `watch`: `agent list --watch`
//! - `shell`: `agent shell` and `agent edit`

pub(in crate::manager) mod answer;
pub(in crate::manager) mod approve;
pub(in crate::manager) mod attach;
pub(in crate::manager) mod deny_because;
pub(in crate::manager) mod detach;
pub(in crate::manager) mod driver;
pub(in crate::manager) mod interrupt;
pub(in crate::manager) mod logs;
pub(in crate::manager) mod peek;
pub(in crate::manager) mod send;
pub(in crate::manager) mod shell;
pub(in crate::manager) mod wait;
pub(in crate::manager) mod watch;

use crate::manager::Context;

/// Gives users access to running agents.
#[derive(Clone, Copy)]
pub struct Terminals<'a>(pub &'a Context);
