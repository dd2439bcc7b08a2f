//! Starting the process of an agent, for the first time or again. The commands that do it are in `lifecycle`.
//!
//! - `start`: the command line, the environment and the start in tmux
//! - `initial_prompt`: the first task, kept until the agent has accepted it
//! - `editor_socket`: the connection from an agent to the editor that shows it
//! - `missing_variables`: variables that the agent had and this shell lacks

pub(in crate::manager) mod editor_socket;
pub(in crate::manager) mod initial_prompt;
pub(in crate::manager) mod missing_variables;
pub(in crate::manager) mod start;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Starts the processes of agents.
#[derive(Clone, Copy)]
pub struct Launcher<'a>(pub &'a Context);
