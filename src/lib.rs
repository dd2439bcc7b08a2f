//! Skeleton map.

pub mod failpoint;
pub mod model;
