//! Prompts on their way to an agent. A prompt is typed once, and the agent is observed until it took the prompt.
//!
//! - `send`: sending to an agent that runs
//! - `pending_prompt`: waiting, typing and confirming
//! - `observe`: what the screen, the terminal and the hooks show meanwhile

pub(crate) mod observe;
pub(crate) mod pending_prompt;
pub(in crate::manager) mod send;

use crate::manager::Context;

/// Types prompts into agents and verifies that they arrived.
#[derive(Clone, Copy)]
pub struct Delivery<'a>(pub &'a Context);
