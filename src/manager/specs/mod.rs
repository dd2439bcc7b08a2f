//! Specs: finding, checking, showing and trusting them.
//!
//! - `resolve`: the spec that a name, a kind or a path means
//! - `list`: `spec list`
//! - `show`: `spec show`
//! - `check`: `spec check`
//! - `init`: `spec init`
//! - `trust`: `spec trust`, `spec untrust`, and the check before a spawn
//! - `launch_plan`: from a spec and options to the command line that runs
//! - `spawn_options`: what can be spawned in a directory, for a form
//! - `spawn_preview`: what a spawn would run, for a confirmation
//! - `spawn_request`: the options of a spawn
//! - `spawn_manifest`: `spec.json`, the spec an agent was created from
//! - `mcp_access`: which agents get our MCP server

pub(in crate::manager) mod check;
pub(in crate::manager) mod init;
pub(in crate::manager) mod launch_plan;
pub(in crate::manager) mod list;
pub(in crate::manager) mod mcp_access;
pub(in crate::manager) mod resolve;
pub(in crate::manager) mod show;
pub(in crate::manager) mod spawn_manifest;
pub(in crate::manager) mod spawn_options;
pub(in crate::manager) mod spawn_preview;
pub(in crate::manager) mod spawn_request;
pub(in crate::manager) mod trust;

pub use launch_plan::SpawnTarget;
pub use list::{KindLine, SpecLine};
pub use resolve::SpecLocation;
pub use show::SpecShown;
pub use spawn_options::{SpawnOption, SpawnOptions};
pub use spawn_preview::SpawnPreview;
pub use spawn_request::{Lifetime, SpawnRequest, UncommittedChanges};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases that find specs and plan launches.
#[derive(Clone, Copy)]
pub struct SpecCatalog<'a>(pub &'a Context);

/// Decides which program an agent runs and with which options.
#[derive(Clone, Copy)]
pub struct LaunchPlanner<'a>(pub &'a Context);

/// Records which projects may run commands on this machine.
#[derive(Clone, Copy)]
pub struct ProjectTrust<'a>(pub &'a Context);
