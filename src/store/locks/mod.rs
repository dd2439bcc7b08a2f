//! Locks on separate files, so that the protected files can be replaced. The kernel releases a lock when its process
//! ends.
//!
//! - `file_lock`: a lock with a bounded wait
//! - `agent_locks`: the locks of an agent and of the supervisor
//! - `start_slots`: agents that are being started
//! - `share_locks`: shares that are open

pub(in crate::store) mod agent_locks;
pub(in crate::store) mod file_lock;
pub(in crate::store) mod share_locks;
pub(in crate::store) mod start_slots;
