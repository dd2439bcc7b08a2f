//! Decisions about the review of an agent's work.
//!
//! - `target`: the file and lines that a user names
//! - `anchor`: finds the lines of a comment in a file that has changed
//! - `prompt`: the prompt that brings comments to an agent

pub mod anchor;
pub mod prompt;
pub mod target;
