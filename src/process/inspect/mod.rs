//! Inspects processes and terminals from outside. Nothing in this module signals or changes a process.
//!
//! - `procfs`: reading `/proc`
//! - `ancestors`: the ancestors of this process
//! - `tree`: the processes of an agent
//! - `stalled`: processes that make no progress
//! - `clients`: tmux clients of a server that does not answer
//! - `environment`: the environment of a process
//! - `limits`: resource limits
//! - `cgroup`: the control group of a process
//! - `ssh_origin`: the address from which a user connected over SSH
//! - `ports`: TCP ports that are in use
//! - `tty`: the state of a terminal

pub(in crate::process) mod ancestors;
pub(in crate::process) mod cgroup;
pub(in crate::process) mod clients;
pub(in crate::process) mod environment;
pub(in crate::process) mod limits;
pub(in crate::process) mod ports;
pub(in crate::process) mod procfs;
pub(in crate::process) mod ssh_origin;
pub(in crate::process) mod stalled;
pub(in crate::process) mod tree;
pub(in crate::process) mod tty;
