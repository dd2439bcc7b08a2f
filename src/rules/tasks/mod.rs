//! Decisions about tasks, messages and delivery.
//!
//! - `readiness`: when the next task is dispatched, what is typed, and when a task is over
//! - `retry`: whether a failed task is attempted again
//! - `typing`: whether and how a prompt can be typed
//! - `confirm`: whether a typed prompt arrived
//! - `address`: the recipients of a message
//! - `same_question`: whether an answer belongs to the question
//! - `choice`: which option of a dialog an answer means
//! - `forwarded_question`: the message of a waiting child to its parent
//! - `heartbeat`: when a heartbeat is due
//! - `topic`: topic files

pub mod address;
pub mod choice;
pub mod confirm;
pub mod forwarded_question;
pub mod heartbeat;
pub mod readiness;
pub mod retry;
pub mod same_question;
pub mod topic;
pub mod typing;
