//! Decisions about tasks, messages and delivery.
//!
//! - `queue`: when the next task is given, and what is typed
//! - `typing`: whether and how a prompt can be typed
//! - `confirm`: whether a prompt arrived
//! - `address`: the recipients of a message
//! - `approval`: whether an answer fits the question
//! - `choice`: which option an answer means
//! - `forwarded_question`: what a waiting child reports to its parent
//! - `heartbeat`: when a heartbeat is due
//! - `topic`: topic files

pub mod address;
pub mod approval;
pub mod choice;
pub mod confirm;
pub mod forwarded_question;
pub mod heartbeat;
pub mod queue;
pub mod topic;
pub mod typing;
