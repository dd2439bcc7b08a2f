//! Messages between agents and people, and the notes of a project.
//!
//! - `mail`: `message send`, `list`, `read`
//! - `board`: `board get`, `list`, `set`, `append`, `rm`

pub(in crate::manager) mod board;
pub(in crate::manager) mod mail;
