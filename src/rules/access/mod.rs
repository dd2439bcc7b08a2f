//! Decisions about rights: which client drives, what a guest, an agent or a project may do.
//!
//! - `driver`: which client may type
//! - `permissions`: what an agent may do with other agents
//! - `share`: what a share still allows
//! - `trust`: which values of a project spec need consent

pub mod driver;
pub mod permissions;
pub mod share;
pub mod trust;
