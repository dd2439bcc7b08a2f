//! Decisions about the life of agents.
//!
//! - `restart`: backoff and limit of restarts
//! - `supervisor_stall`: whether the supervisor makes progress
//! - `evict`: which idle agent hibernates at the limit
//! - `ephemeral`: when an ephemeral agent is done
//! - `naming`: names for agents without one
//! - `default_kind`: the kind of `default`
//! - `inherit`: what a child takes over from its parent
//! - `tree`: parents, children and their number
//! - `conversation_start`: how a conversation is opened again
//! - `conversation`: which conversation an agent is in
//! - `params`: parameters of a spec
//! - `spec_rows`: a spec as rows to read
//! - `variables`: variables that a later shell may lack

pub mod conversation;
pub mod conversation_start;
pub mod default_kind;
pub mod ephemeral;
pub mod evict;
pub mod inherit;
pub mod naming;
pub mod params;
pub mod restart;
pub mod spec_rows;
pub mod supervisor_stall;
pub mod tree;
pub mod variables;
