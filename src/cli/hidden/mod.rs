//! Commands that programs call and users do not see in the help.
//!
//! - `agent_keys`: types into an agent, for the dashboard of another machine
//! - `agent_screen`: sends the live screen of an agent, for the dashboard of another machine
//! - `checkpoint`: takes a checkpoint before a turn of an agent
//! - `event`: called by hooks of tmux and of agent CLIs
//! - `share_listener`: listens for a guest of a shared agent
//! - `transcript`: writes the output of a pane to a file

pub(in crate::cli) mod agent_keys;
pub(in crate::cli) mod agent_screen;
pub(in crate::cli) mod checkpoint;
pub(in crate::cli) mod event;
pub(in crate::cli) mod share_listener;
pub(in crate::cli) mod transcript;
