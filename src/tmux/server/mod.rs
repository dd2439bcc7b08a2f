//! The tmux server: its socket, configuration, version and limits.
//!
//! - `socket`: which socket the server uses
//! - `conf`: our configuration and the user's additions
//! - `option_diff`: setting options whose values differ
//! - `version`: the version of tmux
//! - `descriptors`: file descriptors of the server
//! - `supervisor_session`: the session in which the supervisor runs

pub(in crate::tmux) mod conf;
pub(in crate::tmux) mod descriptors;
pub(in crate::tmux) mod option_diff;
pub(in crate::tmux) mod socket;
pub(in crate::tmux) mod supervisor_session;
pub(in crate::tmux) mod version;
