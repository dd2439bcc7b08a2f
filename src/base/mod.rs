//! General tools that several adapters and faces use. They know nothing of agents and import nothing of this crate.
//!
//! - `terminal`: escape sequences that undo what a full-screen program has left in a terminal.

pub mod terminal;
