//! The registry file `agent-sessions.json`: its text, its changes, its recovery.
//!
//! - `read_and_write`: reads the file, and replaces it under the lock
//! - `schema`: the file format
//! - `edit`: changes in memory, under the lock
//! - `unknown_fields`: fields that a newer version added
//! - `cache`: the registry as last read
//! - `fast_lookup`: one entry without parsing the others
//! - `migrate`: the format of the older public Symposium
//! - `recover`: rebuilding a damaged registry

pub(in crate::store) mod cache;
pub(in crate::store) mod edit;
pub(in crate::store) mod fast_lookup;
pub(in crate::store) mod migrate;
pub(in crate::store) mod read_and_write;
pub(in crate::store) mod recover;
pub(in crate::store) mod schema;
pub(in crate::store) mod unknown_fields;
