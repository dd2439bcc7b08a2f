//! Reports about past and current state: recaps and metrics.
//!
//! - `recap`: the recap of one agent
//! - `digest`: the recap of all agents and tasks
//! - `prometheus`: the Prometheus text format

pub mod digest;
pub mod prometheus;
pub mod recap;
