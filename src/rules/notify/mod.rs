//! Decisions about what people are told.
//!
//! - `notice`: which events become notifications
//! - `rate_limit`: rate limit and quiet hours
//! - `recap`: the recap of one agent
//! - `digest`: the digest of all agents
//! - `prometheus`: the Prometheus text format

pub mod digest;
pub mod notice;
pub mod prometheus;
pub mod rate_limit;
pub mod recap;
