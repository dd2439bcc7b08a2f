//! Commands that programs call and users do not see in the help.
//!
//! - `event`: `symposium event`, called by hooks of tmux and of agent CLIs

pub(in crate::cli) mod event;
