//! Symposium keeps AI coding agents alive in tmux sessions of their own.
//!
//! Layers, imports point down only (checked by `tests/layers.rs`):
//!
//! | layer | modules | |
//! | --- | --- | --- |
//! | faces | [`cli`], [`mcp`], [`demo`] | parse and render; no tmux, no files |
//! | verbs | [`manager`], [`error`] | the only place where edges meet |
//! | edges | [`store`], [`ledger`], [`config`], [`specs`], [`tmux`], [`kinds`], [`process`], [`transcript`], [`git`], [`notice`], [`service`], [`share`], [`archive`], [`ssh`], [`mod@env`] | one outside thing each; they never import one another |
//! | rules | [`rules`] | pure decisions: data and `now` in, a decision out |
//! | words | [`model`] | plain types; imports nothing of ours |
//! | base | [`base`] | general tools that several edges and faces use; imports nothing of ours |
//!
//! tmux owns the processes, the files own the state. The verb a user types names the file at every layer:
//! `cli/kill.rs`, `manager/kill.rs`, then `process`, `tmux/session.rs` and `store`.

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
pub mod notice;
pub mod process;
pub mod rules;
pub mod service;
pub mod share;
pub mod specs;
pub mod ssh;
pub mod store;
pub mod supervisor;
pub mod tmux;
pub mod transcript;
