//! Delivers prompts to agents. A prompt is typed once, and the agent is observed until it has accepted the prompt.
//!
//! - `send`: sending to an agent that runs
//! - `type_and_confirm`: waiting, typing and confirming
//! - `observe`: reading the screen, the terminal and the hook reports during a delivery

pub(crate) mod observe;
pub(in crate::manager) mod send;
pub(crate) mod type_and_confirm;

pub use send::SendRequest;

#[cfg(test)]
mod tests;

use crate::manager::Context;

/// Types prompts into agents and verifies that they arrived.
#[derive(Clone, Copy)]
pub struct Delivery<'a>(pub &'a Context);
