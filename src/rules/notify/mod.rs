//! Decisions about notices to the user.
//!
//! - `notice`: which events cause notices
//! - `answers`: which answers a notice offers
//! - `rate_limit`: rate limit and quiet hours

pub mod answers;
pub mod notice;
pub mod rate_limit;
