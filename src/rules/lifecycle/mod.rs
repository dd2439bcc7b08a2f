//! Decisions about the lifecycle of agents.
//!
//! - `restart`: backoff and limit of restarts
//! - `supervisor_stall`: whether the supervisor makes progress
//! - `evict`: which idle agents are hibernated at the limit
//! - `ephemeral`: when an ephemeral agent is done
//! - `naming`: names for agents without one
//! - `default_kind`: the kind of `default`
//! - `inherit`: values that a child inherits from its parent
//! - `tree`: parents, children and their limits
//! - `conversation_start`: how a conversation is opened at a start
//! - `conversation`: the current and earlier conversations of an agent
//! - `params`: parameters of a spec
//! - `spec_rows`: a spec as rows of a table
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
