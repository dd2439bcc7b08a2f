//! Symposium keeps AI coding agents running in tmux sessions.
//!
//! Imports point down (checked by `tests/layers.rs`):
//!
//! | layer | modules | |
//! | --- | --- | --- |
//! | faces | `cli`, `dashboard`, `web`, `mcp`, `demo` | parse and render; no tmux, no files |
//! | loop | `supervisor` | decides when to call which use case |
//! | use cases | `manager`, `error` | the only place where adapters meet; one folder per domain |
//! | adapters | `store`, `ledger`, `config`, `specs`, `tmux`, `kinds`, `process`, `transcript`, `git`, `notify`, `service`, `share`, `archive`, `ssh`, `env` | one external thing each; they never import each other |
//! | texts | `text` | pure text for users that several faces show |
//! | rules | `rules`, `secrets` | pure decisions: data and `now` in, a decision out |
//! | model | `model` | plain types |
//! | base | `base`, `failpoint` | small general tools; stops at named points for tests |
//!
//! `bench` measures use cases and is not part of the program.
//!
//! tmux owns the processes, files own the state. A command of `symposium agent` is in a folder that is named like its
//! domain in `manager`: `cli/agent/lifecycle/kill.rs` calls `manager/lifecycle/kill.rs`, which uses `process`,
//! `tmux/session.rs` and `store`.

pub(crate) mod archive;
pub(crate) mod base;
#[cfg(feature = "bench")]
pub mod bench;
pub mod cli;
pub(crate) mod config;
pub(crate) mod dashboard;
pub(crate) mod demo;
pub mod env;
pub(crate) mod error;
pub(crate) mod failpoint;
pub(crate) mod git;
pub(crate) mod kinds;
pub mod ledger;
pub(crate) mod manager;
pub(crate) mod mcp;
pub mod model;
pub(crate) mod notify;
pub(crate) mod process;
pub(crate) mod rules;
pub(crate) mod secrets;
pub(crate) mod service;
pub(crate) mod share;
pub(crate) mod specs;
pub(crate) mod ssh;
pub mod store;
pub(crate) mod supervisor;
pub(crate) mod text;
pub(crate) mod tmux;
pub(crate) mod transcript;
pub(crate) mod web;
