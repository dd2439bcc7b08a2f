//! Symposium keeps AI coding agents alive in tmux sessions of their own.

pub mod demo;
pub mod env;
pub mod failpoint;
pub mod git;
pub mod kinds;
pub mod model;
pub mod process;
pub mod rules;
pub mod store;
pub mod tmux;
pub mod transcript;
