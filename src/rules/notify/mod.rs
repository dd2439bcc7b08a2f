//! Decisions about notices, recaps and metrics.
//!
//! - `notice`: which events cause notices
//! - `rate_limit`: rate limit and quiet hours
//! - `recap`: the recap of one agent
//! - `digest`: the digest of all agents
//! - `prometheus`: the Prometheus text format

pub mod digest;
pub mod notice;
pub mod prometheus;
pub mod rate_limit;
pub mod recap;
