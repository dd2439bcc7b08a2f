//! The rules: pure decisions. Data and `now` in, a decision out; nothing is read, written or started here.

pub mod confirm;
pub mod delivery;
pub mod fallback;
pub mod hook;
pub mod naming;
pub mod opening;
pub mod order;
pub mod reconcile;
pub mod status;
