//! Rules: pure functions that take data and `now` and return a decision. They read, write and start nothing.

pub mod access;
pub mod lifecycle;
pub mod notify;
pub mod remote;
pub mod report;
pub mod review;
pub mod specs;
pub mod status;
pub mod tasks;
pub mod workspace;
