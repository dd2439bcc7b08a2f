//! Log files with a bounded size.
//!
//! - `rotating_log`: writing and rotating
//! - `read`: reading and following across rotations

pub(in crate::store) mod read;
pub(in crate::store) mod rotating_log;
