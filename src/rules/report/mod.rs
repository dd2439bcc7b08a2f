//! Reports about past and current state: recaps and metrics.
//!
//! - `recap`: the recap of one agent
//! - `recap_all`: the recap of all agents
//! - `prometheus`: the Prometheus text format

pub mod prometheus;
pub mod recap;
pub mod recap_all;
