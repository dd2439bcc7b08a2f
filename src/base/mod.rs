//! Small general tools that several adapters share. Nothing here knows about agents, tmux or the state directory.
//!
//! - `cron`: five-field cron expressions
//! - `duration`: durations as users type them
//! - `glob`: file name patterns with `*` and `?`
//! - `json_time`: RFC 3339 times with three fraction digits
//! - `patch`: positions in a patch or in the output of `git log -p`
//! - `pauses`: growing pauses between repeated checks
//! - `plural`: counts in sentences
//! - `sanitize`: untrusted text, made safe for a terminal
//! - `suggest`: "did you mean"
//! - `terminal`: escape sequences that reset a terminal after a full-screen program
//! - `terminal_output`: output of another machine, made safe for this terminal

pub(crate) mod cron;
pub mod duration;
pub(crate) mod glob;
pub mod json_time;
pub mod patch;
pub mod pauses;
pub mod plural;
pub mod sanitize;
pub mod suggest;
pub mod terminal;
pub mod terminal_output;
