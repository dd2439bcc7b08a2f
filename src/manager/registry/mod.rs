//! Writes to the registry. Every status change goes to the ledger together with the registry entry.
//!
//! - `update`: the only function that changes the registry
//! - `after_rebuild`: events that the ledger kept while the registry was damaged
//! - `session_copy`: the copy of a record that its tmux session carries
//! - `queries`: queries that every domain needs

pub(in crate::manager) mod after_rebuild;
pub(in crate::manager) mod queries;
pub(in crate::manager) mod session_copy;
pub(in crate::manager) mod update;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Writes to the registry and the ledger, and the queries that every domain needs.
#[derive(Clone, Copy)]
pub struct RegistryWriter<'a>(pub &'a Context);
