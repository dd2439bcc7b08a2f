//! Small general tools that several adapters share. Nothing here knows about agents, tmux or the state directory.
//!
//! - `atomic_file`: atomic replacement of files
//! - `child`: programs in the background, with limits on time and output
//! - `cron`: five-field cron expressions
//! - `duration`: durations as users type them
//! - `file_lock`: locks with a time limit
//! - `glob`: file name patterns with `*` and `?`
//! - `json_time`: RFC 3339 times with three fraction digits
//! - `key_press`: keys by name
//! - `patch`: positions in a patch or in the output of `git log -p`
//! - `percent`: percent escapes such as `%20`
//! - `plural`: counts in sentences
//! - `sanitize`: untrusted text, made safe for a terminal or as a word of a shell
//! - `source_text`: positions in a text, and errors at them
//! - `suggest`: "did you mean"
//! - `terminal`: escape sequences that reset a terminal after a full-screen program; `terminal::output`: output of
//!   another machine, made safe for this terminal; `terminal::emulator_input`: output of programs, prepared for the
//!   terminal emulator; `terminal::raw_mode`: raw mode of the terminal on standard input
//! - `wait`: deadlines, and pauses between repeated checks

pub mod atomic_file;
pub(crate) mod child;
pub(crate) mod cron;
pub mod duration;
pub(crate) mod file_lock;
pub(crate) mod glob;
pub mod json_time;
pub mod key_press;
pub mod patch;
pub(crate) mod percent;
pub mod plural;
pub mod sanitize;
pub mod source_text;
pub mod suggest;
pub mod terminal;
pub(crate) mod wait;
