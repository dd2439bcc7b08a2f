//! Messages between agents and users, and the notes of a project.
//!
//! - `mail`: `message send`, `list`, `read`
//! - `board`: `board get`, `list`, `set`, `append`, `rm`
//! - `unreached`: why a message has no recipient

pub(in crate::manager) mod board;
pub(in crate::manager) mod mail;
mod unreached;

pub use board::NoteWrite;
pub use mail::{MessageFilter, MessageRequest};

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Use cases for messages and notes.
#[derive(Clone, Copy)]
pub struct Messages<'a>(pub &'a Context);
