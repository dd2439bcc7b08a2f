//! What a user does with a running agent: attach, type, answer, read.
//!
//! - `attach`: `agent attach`
//! - `detach`: `agent detach`
//! - `driver`: which of several clients may type
//! - `send`: `agent send`, with verified delivery
//! - `approve`: `agent approve` and `deny`
//! - `answer`: `agent answer`
//! - `interrupt`: `agent interrupt`
//! - `peek`: `agent peek`
//! - `logs`: `agent logs`
//! - `recap`: `agent recap`
//! - `digest`: `recap` over all agents
//! - `wait`: `agent wait`
//! - `watch`: `agent list --watch`

pub(in crate::manager) mod answer;
pub(in crate::manager) mod approve;
pub(in crate::manager) mod attach;
pub(in crate::manager) mod detach;
pub(in crate::manager) mod digest;
pub(in crate::manager) mod driver;
pub(in crate::manager) mod interrupt;
pub(in crate::manager) mod logs;
pub(in crate::manager) mod peek;
pub(in crate::manager) mod recap;
pub(in crate::manager) mod send;
pub(in crate::manager) mod wait;
pub(in crate::manager) mod watch;
