//! How commands reach tmux: over its own protocol, or by starting the program.
//!
//! - `call`: one command and its output
//! - `protocol`: the tmux client protocol
//! - `program`: starting the tmux program
//! - `linux`: non-blocking input and bounded waiting

pub(in crate::tmux) mod call;
pub(in crate::tmux) mod linux;
pub(in crate::tmux) mod program;
pub(in crate::tmux) mod protocol;
