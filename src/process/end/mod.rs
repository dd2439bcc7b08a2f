//! Ends processes and reports their end.
//!
//! - `terminate`: ending all processes of an agent
//! - `on_termination`: a last action when this process is asked to terminate
//! - `exit_watcher`: reporting exits with pidfd and epoll
//! - `reminder`: making the parent of an ended process notice its end
//! - `pidfd`: a handle that survives reuse of a process id

pub(in crate::process) mod exit_watcher;
pub(in crate::process) mod on_termination;
pub(in crate::process) mod pidfd;
pub(in crate::process) mod reminder;
pub(in crate::process) mod terminate;
