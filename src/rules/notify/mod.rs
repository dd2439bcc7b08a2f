//! Decisions about notices to the user.
//!
//! - `notice`: which events cause notices
//! - `rate_limit`: rate limit and quiet hours

pub mod notice;
pub mod rate_limit;
