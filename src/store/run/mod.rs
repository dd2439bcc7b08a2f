//! The `run/` directory: files of running commands. They may be lost at any time and are never half written.
//!
//! - `files`: small files
//! - `staging`: temporary directories that end with their command
//! - `remote_requests`: requests of other machines, each executed once
//! - `sweep`: removing what killed commands left behind

pub(in crate::store) mod files;
pub(in crate::store) mod remote_requests;
pub(in crate::store) mod staging;
pub(in crate::store) mod sweep;
