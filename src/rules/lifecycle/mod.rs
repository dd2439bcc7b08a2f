//! Decisions about the lifecycle of agents.
//!
//! - `restart`: backoff and limit of restarts
//! - `supervisor_stall`: whether the supervisor makes progress
//! - `capacity`: which idle agents are hibernated at the limit
//! - `ephemeral`: when an ephemeral agent is done
//! - `naming`: names for agents without one
//! - `default_kind`: the kind of `default`
//! - `inherit`: values that a child inherits from its parent
//! - `tree`: parents and children
//! - `spawn_limits`: how many agents an agent may start
//! - `conversation_start`: how a conversation is opened at a start
//! - `fork`: what a fork of an agent starts with
//! - `conversation`: the current and earlier conversations of an agent

pub mod capacity;
pub mod conversation;
pub mod conversation_start;
pub mod default_kind;
pub mod ephemeral;
pub mod fork;
pub mod inherit;
pub mod naming;
pub mod restart;
pub mod spawn_limits;
pub mod supervisor_stall;
pub mod tree;
