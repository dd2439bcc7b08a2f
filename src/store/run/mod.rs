//! The `run/` directory: files of running commands. They may be lost at any time and are never partially written.
//!
//! - `files`: small files
//! - `staging`: temporary directories that are removed with their command
//! - `remote_requests`: requests of other machines, each executed once
//! - `sweep`: removal of files that killed commands left behind

pub(in crate::store) mod files;
pub(in crate::store) mod remote_requests;
pub(in crate::store) mod staging;
pub(in crate::store) mod sweep;
