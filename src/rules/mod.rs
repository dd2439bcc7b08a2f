//! The rules: pure decisions. Data and `now` in, a decision out; nothing is read, written or started here.

pub mod access;
pub mod lifecycle;
pub mod notify;
pub mod remote;
pub mod status;
pub mod tasks;
pub mod workspace;
