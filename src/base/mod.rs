//! General tools that several adapters and faces use. They know nothing of agents and import nothing of this crate.
//!
//! - `terminal`: the modes of a terminal, and how a program that was cut off is undone in one.

pub mod terminal;
