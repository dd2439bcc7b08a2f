//! Waits that do not last forever.
//!
//! - `deadline`: waits that end at a point in time
//! - `pauses`: growing pauses between repeated checks

pub mod deadline;
pub mod pauses;
