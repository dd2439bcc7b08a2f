//! Rules: pure functions that take data and `now` and return a decision. They read, write and start nothing.
//!
//! - `status`: the status of an agent
//! - `lifecycle`: starts, restarts and limits
//! - `specs`: parameters and variables of specs
//! - `tasks`: tasks, messages and delivery
//! - `access`: what a client, guest, agent or project may do
//! - `workspace`: work in workspaces
//! - `review`: the review of an agent's work
//! - `report`: recaps and metrics
//! - `notify`: notices to the user
//! - `remote`: retries of the connection to another host

pub mod access;
pub mod lifecycle;
pub mod notify;
pub mod remote;
pub mod report;
pub mod review;
pub mod specs;
pub mod status;
pub mod tasks;
pub mod workspace;
