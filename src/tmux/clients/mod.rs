//! Attached clients: attaching, the driver, sizes, guests, messages in the status line.
//!
//! - `attach`: attaching and detaching
//! - `switch`: moving an attached client to another session
//! - `driver`: which client may type
//! - `list`: the clients of all sessions
//! - `size`: the size of a window
//! - `guests`: what guests see and type
//! - `display_message`: messages in the status line
//! - `scroll`: typing while the view is scrolled back
//! - `variables`: where tmux stores what these files record about clients

pub(in crate::tmux) mod attach;
pub(in crate::tmux) mod display_message;
pub(in crate::tmux) mod driver;
pub(in crate::tmux) mod guests;
pub(in crate::tmux) mod list;
pub(in crate::tmux) mod scroll;
pub(in crate::tmux) mod size;
pub(in crate::tmux) mod switch;
pub(in crate::tmux) mod variables;
