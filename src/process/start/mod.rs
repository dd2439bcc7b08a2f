//! Starting programs.
//!
//! - `run`: in this terminal, or aside with a time limit
//! - `detached`: programs that outlive the command, or stream their output
//! - `job`: a foreground job of its own in this terminal
//! - `die_with_parent`: programs that must end with their parent

pub(in crate::process) mod detached;
pub(in crate::process) mod die_with_parent;
pub(in crate::process) mod job;
pub(in crate::process) mod run;
