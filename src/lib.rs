//! Symposium keeps AI coding agents running in tmux sessions.
//!
//! Imports point down (checked by `tests/layers.rs`):
//!
//! | layer | modules | |
//! | --- | --- | --- |
//! | faces | [`cli`], [`mcp`], [`demo`] | parse and render; no tmux, no files |
//! | loop | [`supervisor`] | decides when to call which use case |
//! | use cases | [`manager`], [`error`] | the only place where adapters meet; one folder per domain |
//! | adapters | [`store`], [`ledger`], [`config`], [`specs`], [`tmux`], [`kinds`], [`process`], [`transcript`], [`git`], [`notify`], [`service`], [`share`], [`archive`], [`ssh`], [`mod@env`] | one external thing each; they never import each other |
//! | rules | [`rules`], [`secrets`] | pure decisions: data and `now` in, a decision out |
//! | model | [`model`] | plain types |
//! | base | [`base`] | small general tools |
//!
//! tmux owns the processes, files own the state. The verb that a user types names the file at every layer:
//! `cli/agent/kill.rs`, `manager/lifecycle/kill.rs`, then `process`, `tmux/session.rs` and `store`.

pub mod archive;
pub mod base;
pub mod cli;
pub mod config;
pub mod demo;
pub mod env;
pub mod error;
pub mod failpoint;
pub mod git;
pub mod kinds;
pub mod ledger;
pub mod manager;
pub mod mcp;
pub mod model;
pub mod notify;
pub mod process;
pub mod rules;
pub mod secrets;
pub mod service;
pub mod share;
pub mod specs;
pub mod ssh;
pub mod store;
pub mod supervisor;
pub mod tmux;
pub mod transcript;
